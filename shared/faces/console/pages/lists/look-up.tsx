/** Starts a job over a list, which quotes its price before anything is sent. */
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import type { Job } from '../../../../api/resources/job.ts'
import type { PeopleList } from '../../../../api/resources/people-list.ts'
import { integrationTitle, pathTo, post, useConnections, useKey } from '../../api/index.ts'
import { ChoiceField, DialogButton, errorAt, FormDialog, TextField } from '../../ui/index.ts'
import { choices } from '../jobs/job-form.tsx'

const defaultDays = '90'

type Draft = { what: 'refresh' | 'all'; days: string; integration: string; connection: string }

type FormProps = { list: PeopleList; integrations: string[]; onClose(): void }

const Form = ({ list: { id, kind, name }, integrations, onClose }: FormProps) => {
  const { route } = useLocation()
  const key = useKey()
  const [draft, setDraft] = useState<Draft>({
    what: 'refresh',
    days: defaultDays,
    integration: integrations[0]!,
    connection: '',
  })
  const change = (some: Partial<Draft>) => setDraft((currentDraft) => ({ ...currentDraft, ...some }))
  const { what, days, integration, connection } = draft
  const connections = useConnections(integration)
  const quote = async () => {
    const order = {
      list: id,
      kind,
      integration,
      connection: connection || undefined,
      olderThanDays: what === 'refresh' ? Number(days) : undefined,
    }
    const job = await post<Job>('jobs', order, { headers: key.of(order) })
    route(pathTo('jobs', job.id))
  }
  return (
    <FormDialog title={`Look up “${name}”`} submit="Quote its price" act={quote} onClose={onClose}>
      {(problem) => (
        <>
          <p>A job reads the rows and says what they cost. It sends nothing until you agree.</p>
          <ChoiceField
            label="Rows"
            value={what}
            change={(value) => change({ what: value as Draft['what'] })}
            options={[
              ['refresh', 'Refresh old rows in the list'],
              ['all', 'Look up all rows and write a file'],
            ]}
            error={errorAt(problem, 'list')}
          />
          {what === 'refresh' && (
            <TextField
              label="Not checked for (days)"
              type="number"
              min={0}
              required
              value={days}
              change={(value) => change({ days: value })}
              hint="Only rows that no provider was asked about for this many days are looked up. 0: every row."
              error={errorAt(problem, 'olderThanDays')}
            />
          )}
          <ChoiceField
            label="Provider"
            value={integration}
            change={(value) => change({ integration: value, connection: '' })}
            options={integrations.map((id) => [id, integrationTitle(id)])}
            error={errorAt(problem, 'integration')}
          />
          <ChoiceField
            label="Connection"
            value={connection}
            change={(value) => change({ connection: value })}
            options={[['', 'The default one'], ...connections.choices]}
            error={errorAt(problem, 'connection')}
          />
        </>
      )}
    </FormDialog>
  )
}

/** A button that opens the form; nothing if no integration can look up the rows. */
export const LookUp = ({ list }: { list: PeopleList }) => {
  const integrations = choices().flatMap(({ kind, integration }) => (kind === list.kind ? [integration] : []))
  if (integrations.length === 0) return null
  return (
    <DialogButton label="Look up or refresh" kind="primary">
      {(close) => <Form list={list} integrations={integrations} onClose={close} />}
    </DialogButton>
  )
}
