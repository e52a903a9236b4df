import { useState } from 'preact/hooks'
import { manifests, post, session, titleOf, useConnections } from '../../api/index.ts'
import type { Scope } from '../../api/index.ts'
import {
  Button,
  Checks,
  ChoiceField,
  Dialog,
  errorAt,
  FormDialog,
  ProblemBox,
  ShownOnce,
  TextField,
} from '../../ui/index.ts'
import type { CreatedToken } from '../../../../api/resources/token.ts'

const scopes: { scope: Scope; about: string }[] = [
  { scope: 'run', about: 'run steps, store files, use MCP' },
  { scope: 'connections', about: 'connect, change and test accounts' },
  { scope: 'subscriptions', about: 'attach triggers to agents, replay events' },
  { scope: 'approvals', about: 'decide about the runs of others that wait for approval' },
  { scope: 'read', about: 'read everything else of the tenant' },
  { scope: 'metrics', about: 'read the metrics of the whole server (operator only)' },
  { scope: 'admin', about: 'these pages: every tenant, tokens, keys, audit trail (operator only)' },
]
const isOfOperator = (scope: Scope) => scope === 'metrics' || scope === 'admin'
const day = 86_400_000
const ends: [days: string, label: string][] = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['date', 'On a date …'],
]

type Draft = {
  name: string
  scopes: string[]
  steps: string[]
  connections: string[]
  connectionIds: string
  toolSet: string
  person: string
  end: string
  date: string
}
const empty: Draft = {
  name: '',
  scopes: ['run', 'connections', 'subscriptions', 'read'],
  steps: [],
  connections: [],
  connectionIds: '',
  toolSet: '',
  person: '',
  end: '',
  date: '',
}

const endOf = ({ end, date }: Draft) => {
  if (end === '') return undefined
  return new Date(end === 'date' ? date : Date.now() + Number(end) * day).toISOString()
}
const bodyOf = (tenant: string, draft: Draft) => {
  const connections = [...draft.connections, ...draft.connectionIds.split(/[\s,]+/)].filter((id) => id !== '')
  return {
    tenant,
    name: draft.name,
    scopes: draft.scopes,
    steps: draft.steps.length > 0 ? draft.steps : undefined,
    connections: connections.length > 0 ? connections : undefined,
    toolSet: draft.toolSet || undefined,
    person: draft.person.trim() || undefined,
    expiresAt: endOf(draft),
  }
}

type PickerProps = { draft: Draft; set(changes: Partial<Draft>): void }

const StepPicker = ({ draft: { steps }, set }: PickerProps) => {
  const [search, setSearch] = useState('')
  const words = search.toLowerCase().split(/\s+/)
  const all = manifests.value.flatMap(({ id, title, steps: manifestSteps }) =>
    manifestSteps.map((step) => ({ value: `${id}/${step.id}`, label: `${step.title} (${title})` })),
  )
  const shown = all.filter(
    ({ value, label }) =>
      steps.includes(value) || words.every((word) => `${value} ${label}`.toLowerCase().includes(word)),
  )
  return (
    <details>
      <summary>Only some steps{steps.length > 0 && `: ${steps.length} chosen`}</summary>
      <TextField label="Find a step" type="search" value={search} change={setSearch} />
      <Checks
        legend="Steps"
        hint="None chosen: every step."
        chosen={steps}
        change={(chosen) => set({ steps: chosen })}
        options={shown}
      />
    </details>
  )
}

const ConnectionPicker = ({ draft: { connections, connectionIds }, set, tenant }: PickerProps & { tenant: string }) => {
  const isOwn = tenant === session.value?.tenant.id
  const { items, problem } = useConnections(undefined, isOwn)
  return (
    <details>
      <summary>Only some connections{connections.length > 0 && `: ${connections.length} chosen`}</summary>
      <ProblemBox problem={problem} />
      {isOwn ? (
        <Checks
          legend="Connections"
          hint="None chosen: every connection of the tenant, including later ones."
          chosen={connections}
          change={(chosen) => set({ connections: chosen })}
          options={items.map((connection) => ({
            value: connection.id,
            label: `${titleOf(connection)} (${connection.integration})`,
          }))}
        />
      ) : (
        <TextField
          label="Connection ids"
          hint="Separated by spaces. They are listed to tokens of that tenant only."
          value={connectionIds}
          change={(ids) => set({ connectionIds: ids })}
        />
      )}
    </details>
  )
}

/** Each tool set once, by the id that integrations share. */
const toolSets = (): [string, string][] => {
  const all = manifests.value.flatMap((manifest) =>
    manifest.toolSets.map(({ id, title }): [string, string] => [id, title]),
  )
  return [['', 'Any step'], ...new Map(all)]
}

/** The form for a token. Its text is shown once and leaves the page when the dialog closes. */
export const NewToken = ({ tenant, onClose, onMade }: { tenant: string; onClose(): void; onMade(): void }) => {
  const [draft, setDraft] = useState(empty)
  const [made, setMade] = useState<CreatedToken>()
  const set = (changes: Partial<Draft>) => setDraft((currentDraft) => ({ ...currentDraft, ...changes }))
  const create = async () => {
    setMade(await post<CreatedToken>('admin/tokens', bodyOf(tenant, draft)))
    onMade()
  }
  if (made)
    return (
      <Dialog title={`The token “${made.token.name}”`} onClose={onClose}>
        <ShownOnce name="Token" noun="token" text={made.text}>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </ShownOnce>
      </Dialog>
    )
  return (
    <FormDialog
      title={`Create a token for the tenant ${tenant}`}
      submit="Create the token"
      act={create}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <TextField
            label="Name"
            hint="What it is for, such as the program that will use it."
            required
            maxLength={200}
            value={draft.name}
            change={(name) => set({ name })}
            error={errorAt(problem, 'name')}
          />
          <Checks
            legend="Scopes"
            chosen={draft.scopes}
            change={(chosen) => set({ scopes: chosen })}
            options={scopes.map(({ scope, about }) => ({
              value: scope,
              disabled: isOfOperator(scope) && tenant !== 'default',
              label: (
                <>
                  <code>{scope}</code> {about}
                </>
              ),
            }))}
          />
          <ChoiceField
            label="Expires"
            value={draft.end}
            change={(end) => set({ end })}
            options={ends}
            error={errorAt(problem, 'expiresAt')}
          />
          {draft.end === 'date' && (
            <TextField
              label="Expiry date"
              type="datetime-local"
              required
              value={draft.date}
              change={(date) => set({ date })}
            />
          )}
          <TextField
            label="Acts for the person (optional)"
            hint="The id that your platform has for an end user. The token then uses their accounts and the workspace’s, and sees what is theirs."
            maxLength={256}
            value={draft.person}
            change={(person) => set({ person })}
            error={errorAt(problem, 'person')}
          />
          <ChoiceField
            label="Only the steps of a tool set"
            value={draft.toolSet}
            change={(toolSet) => set({ toolSet })}
            options={toolSets()}
            error={errorAt(problem, 'toolSet')}
          />
          <StepPicker draft={draft} set={set} />
          <ConnectionPicker draft={draft} set={set} tenant={tenant} />
        </>
      )}
    </FormDialog>
  )
}
