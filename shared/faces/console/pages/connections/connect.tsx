import { useState } from 'preact/hooks'
import { integrationChoices, isForAnybody, manifestOf, pathTo, useAction, useApi } from '../../api/index.ts'
import type { Manifest } from '../../api/index.ts'
import type { App } from '../../../../api/resources/app.ts'
import { Badge, Button, ChoiceField, Dialog, ProblemBox, TextField } from '../../ui/index.ts'
import { AppForm } from './app-form.tsx'
import { goConnect } from './go-connect.ts'

type Type = Manifest['connections'][number]

const flows: Record<Type['flow'], string> = {
  secrets: 'The next page asks for the key. It is encrypted there and never shown again.',
  'token-page': 'The next page asks for the key and opens the provider’s page for a token.',
  'oauth-1.0a': 'The next page sends you to the provider, where you log in and choose “Allow”.',
  'oauth-2.0': 'The next page sends you to the provider, where you log in and choose “Allow”.',
}

const byRecommended = (types: Type[]) => types.toSorted((a, b) => Number(b.recommended) - Number(a.recommended))

const TypeChoice = ({
  types,
  chosen,
  choose,
}: {
  types: Type[]
  chosen: string | undefined
  choose(id: string): void
}) => (
  <fieldset>
    <legend>How to connect</legend>
    {types.map(({ id, title, purpose, recommended }) => (
      <label class="cn-choice" key={id}>
        <input type="radio" name="type" value={id} checked={id === chosen} onChange={() => choose(id)} />
        <span>
          {title} {recommended && <Badge tone="info">Recommended</Badge>}
          <small>{purpose}</small>
        </span>
      </label>
    ))}
  </fieldset>
)

/** Goes to the connect page, or first asks for the app that it needs. */
const Go = ({
  integration,
  type,
  name,
  person,
  onClose,
}: {
  integration: Manifest
  type: Type
  name: string
  person: string
  onClose(): void
}) => {
  const app = useApi<App>(type.app ? `apps/${encodeURIComponent(integration.id)}` : undefined)
  const { run, busy, problem } = useAction(() =>
    goConnect(
      {
        integration: integration.id,
        type: type.id,
        name: name.trim() || undefined,
        person: person.trim() || undefined,
      },
      pathTo('connections'),
    ),
  )
  if (app.problem) return <ProblemBox problem={app.problem} retry={app.reload} />
  if (type.app && app.data?.key === null)
    return <AppForm integration={integration} type={type} app={app.data} onSaved={app.reload} />
  return (
    <>
      <p class="muted">{flows[type.flow]}</p>
      <ProblemBox problem={problem} />
      <footer class="row">
        <Button kind="primary" busy={busy || (type.app !== null && !app.data)} onClick={() => void run()}>
          Continue
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </footer>
    </>
  )
}

type ConnectDialogProps = { integration?: string | undefined; type?: string | undefined; onClose(): void }

/** `integration`, `type`: preselected values. */
export const ConnectDialog = ({ integration: givenIntegration, type: givenType, onClose }: ConnectDialogProps) => {
  const [id, setId] = useState(givenIntegration ?? '')
  const [typeId, setTypeId] = useState<string | undefined>(givenType)
  const [name, setName] = useState('')
  const [person, setPerson] = useState('')
  const integration = manifestOf(id)
  const types = byRecommended(integration?.connections ?? [])
  const type = types.find((connectionType) => connectionType.id === typeId) ?? types[0]
  return (
    <Dialog title="Connect an account" onClose={onClose}>
      <ChoiceField label="Integration" value={id} change={setId} options={[['', 'Choose…'], ...integrationChoices()]} />
      {types.length > 1 && <TypeChoice types={types} chosen={type?.id} choose={setTypeId} />}
      {type && (
        <TextField
          label="Name (optional)"
          maxLength={128}
          value={name}
          change={setName}
          hint="Without one, the name of the account at the provider is used."
        />
      )}
      {type && isForAnybody() && (
        <TextField
          label="Person (optional)"
          maxLength={256}
          value={person}
          change={setPerson}
          hint="The id that your platform has for the end user whose account it is. Without one it is the workspace’s."
        />
      )}
      {integration && type && (
        <Go
          key={`${id} ${type.id}`}
          integration={integration}
          type={type}
          name={name}
          person={person}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}
