import { useState } from 'preact/hooks'
import type { ApprovalRule } from '../../../../api/resources/approval-rule.ts'
import { call, integrationChoices, isUnbound, may, post, usePages } from '../../api/index.ts'
import {
  Checks,
  ChoiceField,
  ConfirmButton,
  DialogButton,
  errorAt,
  FormDialog,
  List,
  Panel,
  TextField,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { conditionsOf, decidersOf, effects, waitOf } from './words.tsx'

const DeleteRule = ({ rule, reload }: { rule: ApprovalRule; reload: () => void }) => (
  <ConfirmButton
    label="Delete"
    title={`Delete the rule “${rule.name ?? rule.id}”?`}
    act={async () => {
      await call('DELETE', `approval-rules/${encodeURIComponent(rule.id)}`)
      reload()
    }}
  >
    <p>From now on it holds nothing. Runs that it has held still wait.</p>
  </ConfirmButton>
)

const columnsOf = (mayChange: boolean, reload: () => void): Column<ApprovalRule>[] => [
  {
    title: 'Rule',
    cell: ({ id, name, source }) => (
      <>
        {name ?? id}
        {source === 'operator' && (
          <>
            <br />
            <span class="muted">set by the operator</span>
          </>
        )}
      </>
    ),
  },
  { title: 'Holds', cell: ({ when }) => conditionsOf(when) },
  { title: 'Who decides', cell: ({ by }) => decidersOf(by) },
  { title: 'Waits', cell: ({ expiresMinutes }) => waitOf(expiresMinutes) },
  ...(mayChange
    ? [
        {
          title: 'Delete',
          cell: (rule: ApprovalRule) => rule.source === 'workspace' && <DeleteRule rule={rule} reload={reload} />,
        },
      ]
    : []),
]

const empty = { name: '', integration: '', effects: [] as string[], creditsOver: '', by: 'approvers', minutes: '1440' }

const bodyOf = ({ name, integration, effects: effectsOfRun, creditsOver, by, minutes }: typeof empty) => ({
  name: name.trim() || undefined,
  when: {
    integrations: integration === '' ? undefined : [integration],
    effects: effectsOfRun.length === 0 ? undefined : effectsOfRun,
    creditsOver: creditsOver.trim() === '' ? undefined : Number(creditsOver),
  },
  by,
  expiresMinutes: Number(minutes),
})

const NewRule = ({ onClose, onMade }: { onClose(): void; onMade(): void }) => {
  const [draft, setDraft] = useState(empty)
  const set = (changes: Partial<typeof empty>) => setDraft((currentDraft) => ({ ...currentDraft, ...changes }))
  const create = async () => {
    await post('approval-rules', bodyOf(draft))
    onMade()
    onClose()
  }
  return (
    <FormDialog title="Create an approval rule" submit="Create the rule" act={create} onClose={onClose}>
      {(problem) => (
        <>
          <p>Runs that meet every condition are held. Without conditions, all that change or cost something are.</p>
          <TextField
            label="Name (optional)"
            maxLength={128}
            value={draft.name}
            change={(name) => set({ name })}
            error={errorAt(problem, 'name')}
          />
          <ChoiceField
            label="Integration"
            value={draft.integration}
            change={(integration) => set({ integration })}
            options={[['', 'Any'], ...integrationChoices()]}
          />
          <Checks
            legend="What the run does"
            hint="None chosen: any of these."
            chosen={draft.effects}
            change={(chosen) => set({ effects: chosen })}
            options={effects}
          />
          <TextField
            label="Costs more credits than (optional)"
            hint="0: all that cost anything."
            type="number"
            min={0}
            step="any"
            value={draft.creditsOver}
            change={(creditsOver) => set({ creditsOver })}
            error={errorAt(problem, 'when/creditsOver')}
          />
          <ChoiceField
            label="Who decides"
            value={draft.by}
            change={(by) => set({ by })}
            options={[
              ['approvers', decidersOf('approvers')],
              ['caller', decidersOf('caller')],
            ]}
          />
          <TextField
            label="Waits for a decision, in minutes"
            type="number"
            min={1}
            required
            value={draft.minutes}
            change={(minutes) => set({ minutes })}
            error={errorAt(problem, 'expiresMinutes')}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Which runs are held. Other conditions than those of the form are set over the API and the command line. */
export const Rules = () => {
  const list = usePages<ApprovalRule>('approval-rules')
  const mayChange = isUnbound() && (may('connections') || may('admin'))
  return (
    <Panel title="Rules">
      <List
        list={list}
        what="Rules"
        columns={columnsOf(mayChange, list.reload)}
        empty={<p>There is no rule, so nothing is held.</p>}
      />
      {mayChange && (
        <DialogButton label="Create a rule">{(close) => <NewRule onClose={close} onMade={list.reload} />}</DialogButton>
      )}
    </Panel>
  )
}
