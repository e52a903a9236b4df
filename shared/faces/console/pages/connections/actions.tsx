import { useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import { call, pathTo, post, session, triggerTitle, useAction } from '../../api/index.ts'
import {
  Button,
  ConfirmButton,
  DialogButton,
  FormDialog,
  Panel,
  plural,
  ProblemBox,
  TextField,
} from '../../ui/index.ts'
import { goConnect } from './go-connect.ts'
import type { Uses } from './used-by.tsx'

/** Called after the connection was changed, with the message to show. */
export type Changed = (said: string) => void
type Props = { row: Connection; changed: Changed }

export const pathOf = ({ id }: Connection) => `connections/${encodeURIComponent(id)}`
export const patch = (row: Connection, body: object) => call<Connection>('PATCH', pathOf(row), { body })

/** Changes the connection, then says so. */
const patching =
  ({ row, changed }: Props, body: object, said: string) =>
  async () => {
    await patch(row, body)
    changed(said)
  }

const Rename = ({ row, changed, onClose }: Props & { onClose(): void }) => {
  const [name, setName] = useState(row.name)
  const rename = async () => {
    await patching({ row, changed }, { name: name.trim() }, 'Renamed.')()
    onClose()
  }
  return (
    <FormDialog title="Rename the connection" submit="Rename" act={rename} onClose={onClose}>
      {() => (
        <>
          <TextField label="Name" required maxLength={128} value={name} change={setName} />
          <p class="muted">Runs that name the connection “{row.name}” have to use the new name; its id stays.</p>
        </>
      )}
    </FormDialog>
  )
}

const counted = (count: number, hasMore: boolean, noun: string) =>
  hasMore ? `${count} or more ${noun}s` : plural(count, noun)

/** What stops working when the connection can no longer be used. */
const Stops = ({ subscriptions, usage }: Uses) => {
  const tokens = usage.data?.tokens ?? []
  const { items, hasMore } = subscriptions
  return (
    <ul>
      {items.length > 0 && (
        <li>
          {counted(items.length, hasMore, 'trigger')} no longer{' '}
          {items.length === 1 && !hasMore ? 'starts its agent' : 'start their agents'}:{' '}
          {items.slice(0, 5).map(triggerTitle).join(', ')}
          {(items.length > 5 || hasMore) && ', …'}.
        </li>
      )}
      {tokens.length > 0 && (
        <li>
          {plural(tokens.length, 'token')} bound to it: {tokens.map(({ name }) => name).join(', ')}.
        </li>
      )}
      {items.length + tokens.length === 0 && <li>No trigger uses it, and no token is bound to it.</li>}
      <li>Runs with it fail, including those that use it as the default.</li>
    </ul>
  )
}

const useTest = ({ row, changed }: Props) =>
  useAction(async () => {
    const tested = await post<Connection>(`${pathOf(row)}/test`)
    const works = tested.state === 'connected'
    changed(
      works
        ? 'Tested: the provider accepts the credential.'
        : tested.state === 'unverified'
          ? 'The provider has no free request to test it with.'
          : '',
    )
  })

/** Enable, reconnect, test, make default and rename. */
export const Actions = (props: Props) => {
  const { row } = props
  const reconnect = useAction(() => goConnect({ connection: row.id }, pathTo('connections', row.id)))
  const test = useTest(props)
  const enable = useAction(patching(props, { disabled: false }, 'Enabled.'))
  const makeDefault = useAction(patching(props, { isDefault: true }, 'This is now the default connection.'))
  const problem = [reconnect, test, enable, makeDefault].find((action) => action.problem)?.problem
  const isBroken = row.state === 'needs_reconnect' || row.state === 'revoked'
  const isBound = session.value?.token.connections != null
  return (
    <>
      <ProblemBox problem={problem} />
      <p class="row">
        {row.state === 'disabled' && (
          <Button kind="primary" action={enable}>
            Enable
          </Button>
        )}
        <Button kind={isBroken ? 'primary' : 'plain'} action={reconnect}>
          Reconnect
        </Button>
        {row.state !== 'revoked' && row.state !== 'disabled' && <Button action={test}>Test</Button>}
        {!row.isDefault && !isBound && <Button action={makeDefault}>Make default</Button>}
        <DialogButton label="Rename">{(close) => <Rename {...props} onClose={close} />}</DialogButton>
      </p>
    </>
  )
}

/** Actions that may stop triggers and runs; each asks first. */
export const Dangers = ({ gone, uses, ...props }: Props & { gone(): void; uses: Uses }) => {
  const { row } = props
  const remove = async () => {
    await call('DELETE', pathOf(row))
    gone()
  }
  const dialogTitle = (verb: string) => `${verb} “${row.name}”?`
  return (
    <Panel title="Disable or remove" label="Disable or remove">
      <div class="row">
        {row.state !== 'disabled' && row.state !== 'revoked' && (
          <ConfirmButton
            label="Disable"
            kind="plain"
            title={dialogTitle('Disable')}
            act={patching(props, { disabled: true }, 'Disabled.')}
          >
            <p>Its secrets are kept, and you can enable it again. Until then:</p>
            <Stops {...uses} />
          </ConfirmButton>
        )}
        {row.state !== 'revoked' && (
          <ConfirmButton
            label="Revoke"
            title={dialogTitle('Revoke')}
            act={patching(props, { revoked: true }, 'Revoked.')}
          >
            <p>
              Its secrets are deleted here and, where possible, revoked at the provider. Its name, tokens and triggers
              are kept for a reconnect. Until then:
            </p>
            <Stops {...uses} />
          </ConfirmButton>
        )}
        <ConfirmButton label="Remove" title={dialogTitle('Remove')} act={remove}>
          <p>
            Its secrets and its webhooks at the provider are removed. This cannot be undone: connecting the account
            again creates a new connection.
          </p>
          <Stops {...uses} />
        </ConfirmButton>
      </div>
    </Panel>
  )
}
