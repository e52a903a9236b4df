import { useState } from 'preact/hooks'
import type { Person } from '../../../../api/resources/person.ts'
import {
  integrationTitle,
  post,
  session,
  stepChoices,
  titleOf,
  toolSetChoices,
  useConnections,
  useItems,
} from '../../api/index.ts'
import type { Problem, Scope } from '../../api/index.ts'
import {
  Button,
  Checks,
  ChoiceField,
  Dialog,
  errorAt,
  FormDialog,
  NamePicker,
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
/** What each scope lets one do, briefly. */
export const scopeTexts: Record<Scope, string> = {
  run: 'run steps',
  connections: 'connect accounts',
  subscriptions: 'attach triggers',
  approvals: 'approve',
  read: 'look',
  metrics: 'read metrics',
  admin: 'operate',
}
const isOfOperator = (scope: Scope) => scope === 'metrics' || scope === 'admin'

/** What a token is usually for. */
const presets: { id: string; label: string; scopes: Scope[] }[] = [
  { id: 'tools', label: 'Use tools: for an agent or a colleague', scopes: ['run'] },
  {
    id: 'build',
    label: 'Build: run steps, connect accounts, attach triggers',
    scopes: ['run', 'connections', 'subscriptions', 'read'],
  },
  { id: 'read', label: 'Look only', scopes: ['read'] },
  { id: 'approve', label: 'Decide what waits for approval', scopes: ['approvals', 'read'] },
  { id: 'operate', label: 'Everything, these pages too (operator only)', scopes: scopes.map(({ scope }) => scope) },
]
const presetOf = (preset: string) => presets.find(({ id }) => id === preset)

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
  preset: string
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
  preset: 'tools',
  scopes: ['run'],
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

const StepPicker = ({ draft: { steps }, set }: PickerProps) => (
  <NamePicker
    legend="Steps"
    none="every step."
    options={stepChoices()}
    chosen={steps}
    change={(chosen) => set({ steps: chosen })}
  />
)

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
          hint="None chosen: every connection of the tenant, later ones too."
          chosen={connections}
          change={(chosen) => set({ connections: chosen })}
          options={items.map((connection) => ({
            value: connection.id,
            label: `${titleOf(connection)} (${integrationTitle(connection.integration)})`,
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

type FieldsProps = PickerProps & { tenant: string; problem: Problem | undefined }

const ScopeFields = ({ draft, set, tenant }: FieldsProps) => (
  <>
    <ChoiceField
      label="What it may do"
      value={draft.preset}
      change={(preset) => set({ preset, scopes: presetOf(preset)?.scopes ?? draft.scopes })}
      options={[
        ...presets
          .filter(({ scopes: names }) => tenant === 'default' || !names.some(isOfOperator))
          .map(({ id, label }): [string, string] => [id, label]),
        ['chosen', 'Scopes of my choice …'],
      ]}
    />
    {draft.preset === 'chosen' && (
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
    )}
  </>
)

const EndFields = ({ draft, set, problem }: FieldsProps) => (
  <>
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
  </>
)

const PersonField = ({ draft, set, problem, tenant }: FieldsProps) => {
  const isOwn = tenant === session.value?.tenant.id
  const people = useItems<Person>(isOwn ? 'people' : undefined)
  return (
    <TextField
      label="Acts for the person (optional)"
      hint="The name that your platform has for an end user. The token then uses their accounts and the workspace’s, and sees what is theirs."
      maxLength={256}
      suggest={people.items.map(({ id }) => id)}
      value={draft.person}
      change={(person) => set({ person })}
      error={errorAt(problem, 'person')}
    />
  )
}

/**
 * Copies the token that was just made, as its button says. A browser that does not let the page copy shows it with a
 * button to try again.
 */
const copyText = (text: string) =>
  navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  ) ?? Promise.resolve(false)

/** The form for a token. Its text is shown once and leaves the page when the dialog closes. */
export const NewToken = ({ tenant, onClose, onMade }: { tenant: string; onClose(): void; onMade(): void }) => {
  const [draft, setDraft] = useState(empty)
  const [made, setMade] = useState<CreatedToken & { isCopied: boolean }>()
  const set = (changes: Partial<Draft>) => setDraft((currentDraft) => ({ ...currentDraft, ...changes }))
  const create = async () => {
    const created = await post<CreatedToken>('admin/tokens', bodyOf(tenant, draft))
    setMade({ ...created, isCopied: await copyText(created.text) })
    onMade()
  }
  if (made)
    return (
      <Dialog title={`The token “${made.token.name}”`} onClose={onClose}>
        <p role="status">{made.isCopied && 'It was copied: paste it where it is used.'}</p>
        <ShownOnce name="Token" noun="token" text={made.text}>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </ShownOnce>
      </Dialog>
    )
  return (
    <FormDialog title="Create a token" submit="Create and copy the token" act={create} onClose={onClose}>
      {(problem) => {
        const fields = { draft, set, tenant, problem }
        return (
          <>
            <TextField
              label="Name"
              hint="What it is for, such as the colleague or the program that will use it."
              required
              maxLength={200}
              value={draft.name}
              change={(name) => set({ name })}
              error={errorAt(problem, 'name')}
            />
            <ScopeFields {...fields} />
            <ChoiceField
              label="Tools"
              value={draft.toolSet}
              change={(toolSet) => set({ toolSet })}
              options={[
                ['', 'Every step'],
                ...toolSetChoices().map(({ value, label }): [string, string] => [value, label]),
              ]}
              error={errorAt(problem, 'toolSet')}
            />
            <EndFields {...fields} />
            <PersonField {...fields} />
            <StepPicker {...fields} />
            <ConnectionPicker {...fields} />
          </>
        )
      }}
    </FormDialog>
  )
}
