/** Makes or changes a rule, by choosing names. What the form does not show of a rule stays as it is. */
import { useState } from 'preact/hooks'
import type { ApprovalRule, NewApprovalRule } from '../../../../api/resources/approval-rule.ts'
import type { Person } from '../../../../api/resources/person.ts'
import {
  call,
  integrationChoices,
  post,
  stepChoices,
  toolSetChoices,
  useConnections,
  useItems,
} from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { Checks, ChoiceField, errorAt, FormDialog, NamePicker, TextField } from '../../ui/index.ts'
import { Containers, scopeFieldOf } from '../connections/containers.tsx'
import { effects } from './rule-words.ts'
import { useTokenChoices } from './use-names.ts'

type Conditions = NonNullable<NewApprovalRule['when']>
type ListName = 'integrations' | 'steps' | 'toolSets' | 'effects' | 'objects' | 'connections' | 'tokens' | 'people'
type Draft = {
  name: string
  lists: Record<ListName, string[]>
  creditsOver: string
  by: 'approvers' | 'caller' | 'named'
  deciders: { people: string[]; tokens: string[] }
  wait: string
}

const listNames: ListName[] = [
  'integrations',
  'steps',
  'toolSets',
  'effects',
  'objects',
  'connections',
  'tokens',
  'people',
]
const waits: [minutes: string, label: string][] = [
  ['15', '15 minutes'],
  ['60', '1 hour'],
  ['240', '4 hours'],
  ['1440', '1 day'],
  ['4320', '3 days'],
  ['10080', '7 days'],
]

const draftOf = (rule: ApprovalRule | undefined): Draft => {
  const { name = null, when = {}, by = 'approvers', expiresMinutes = 1440 } = rule ?? {}
  return {
    name: name ?? '',
    lists: Object.fromEntries(listNames.map((list) => [list, when[list] ?? []])) as Draft['lists'],
    creditsOver: when.creditsOver === undefined ? '' : String(when.creditsOver),
    by: typeof by === 'string' ? by : 'named',
    deciders:
      typeof by === 'string' ? { people: [], tokens: [] } : { people: by.people ?? [], tokens: by.tokens ?? [] },
    wait: String(expiresMinutes),
  }
}

const filled = (list: string[]) => (list.length === 0 ? undefined : list)

const bodyOf = ({ name, lists, creditsOver, by, deciders, wait }: Draft) => ({
  name: name.trim() === '' ? null : name.trim(),
  when: {
    ...(Object.fromEntries(listNames.map((list) => [list, filled(lists[list])])) as Conditions),
    creditsOver: creditsOver.trim() === '' ? undefined : Number(creditsOver),
  },
  by: by === 'named' ? { people: filled(deciders.people), tokens: filled(deciders.tokens) } : by,
  expiresMinutes: Number(wait),
})

type FieldsProps = { draft: Draft; set(changes: Partial<Draft>): void; problem: Problem | undefined }
type Options = Record<'people' | 'tokens', { value: string; label: string }[]>

/** The places within one connection: they are chosen once that connection is. */
const Places = ({ draft, choose }: { draft: Draft; choose(name: ListName, values: string[]): void }) => {
  const { items } = useConnections()
  const [id, ...others] = draft.lists.connections
  const connection = others.length === 0 ? items.find((row) => row.id === id) : undefined
  const scope = connection && scopeFieldOf(connection.integration)
  if (!connection || !scope) return null
  return (
    <Containers
      row={connection}
      scope={scope}
      none="anything in the account."
      chosen={draft.lists.objects}
      choose={(ids) => choose('objects', ids)}
    />
  )
}

const ConditionFields = ({ draft, set, problem, people, tokens }: FieldsProps & Options) => {
  const { lists } = draft
  const connections = useConnections()
  const choose = (name: ListName, values: string[]) => set({ lists: { ...lists, [name]: values } })
  const pick = (name: ListName, legend: string, none: string, options: { value: string; label: string }[]) => (
    <NamePicker
      legend={legend}
      none={none}
      options={options}
      chosen={lists[name]}
      change={(values) => choose(name, values)}
      error={errorAt(problem, `when/${name}`)}
    />
  )
  return (
    <>
      <Checks
        legend="Hold a run that …"
        hint="None chosen: any of these."
        chosen={lists.effects}
        change={(values) => choose('effects', values)}
        options={effects}
      />
      {pick('steps', 'Steps', 'every step.', stepChoices())}
      {pick(
        'connections',
        'Connections',
        'every connection.',
        connections.choices.map(([value, label]) => ({ value, label })),
      )}
      <Places draft={draft} choose={choose} />
      {pick(
        'integrations',
        'Integrations',
        'every integration.',
        integrationChoices().map(([value, label]) => ({ value, label })),
      )}
      {pick('toolSets', 'Tool sets', 'every tool set.', toolSetChoices())}
      {pick('people', 'People', 'everybody.', people)}
      {pick('tokens', 'Callers', 'every token and program.', tokens)}
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
    </>
  )
}

const DecisionFields = ({ draft, set, problem, people, tokens }: FieldsProps & Options) => {
  const { deciders } = draft
  const isUsual = waits.some(([minutes]) => minutes === draft.wait)
  return (
    <>
      <ChoiceField
        label="Who decides"
        value={draft.by}
        change={(by) => set({ by: by as Draft['by'] })}
        options={[
          ['approvers', 'Everybody who may approve, except whoever asks'],
          ['caller', 'Everybody who may approve, and whoever asks'],
          ['named', 'Only those chosen below'],
        ]}
        error={errorAt(problem, 'by')}
      />
      {draft.by === 'named' && (
        <>
          <Checks
            legend="People who decide"
            chosen={deciders.people}
            change={(values) => set({ deciders: { ...deciders, people: values } })}
            options={people}
          />
          {tokens.length > 0 && (
            <Checks
              legend="Tokens that decide"
              chosen={deciders.tokens}
              change={(values) => set({ deciders: { ...deciders, tokens: values } })}
              options={tokens}
            />
          )}
        </>
      )}
      <ChoiceField
        label="A run waits for"
        value={draft.wait}
        change={(wait) => set({ wait })}
        options={isUsual ? waits : [...waits, [draft.wait, `${draft.wait} minutes`]]}
        error={errorAt(problem, 'expiresMinutes')}
      />
    </>
  )
}

export const RuleForm = ({ rule, onClose, onSaved }: { rule?: ApprovalRule; onClose(): void; onSaved(): void }) => {
  const [draft, setDraft] = useState(() => draftOf(rule))
  const people = useItems<Person>('people').items.map(({ id }) => ({ value: id, label: id }))
  const tokens = useTokenChoices()
  const set = (changes: Partial<Draft>) => setDraft((currentDraft) => ({ ...currentDraft, ...changes }))
  const save = async () => {
    const body = bodyOf(draft)
    await (rule
      ? call('PATCH', `approval-rules/${encodeURIComponent(rule.id)}`, { body })
      : post('approval-rules', body))
    onSaved()
    onClose()
  }
  return (
    <FormDialog
      title={rule ? 'Change the rule' : 'Create an approval rule'}
      submit={rule ? 'Save the rule' : 'Create the rule'}
      act={save}
      onClose={onClose}
    >
      {(problem) => {
        const fields = { draft, set, problem, people, tokens }
        return (
          <>
            <p>Runs that meet every condition are held. Without conditions, all that change or cost something are.</p>
            <TextField
              label="Name (optional)"
              maxLength={128}
              value={draft.name}
              change={(name) => set({ name })}
              error={errorAt(problem, 'name')}
            />
            <ConditionFields {...fields} />
            <DecisionFields {...fields} />
          </>
        )
      }}
    </FormDialog>
  )
}
