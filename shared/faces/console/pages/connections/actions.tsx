import { useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import { call, post } from '../../api/client.ts'
import { pathTo } from '../../api/root.ts'
import { session } from '../../api/session.ts'
import { useAction } from '../../api/use-api.ts'
import { Button } from '../../ui/basics.tsx'
import { ConfirmButton, Dialog } from '../../ui/dialog.tsx'
import { ProblemBox } from '../../ui/states.tsx'
import { goConnect } from './go-connect.ts'
import { titleOf } from './used-by.tsx'
import type { Uses } from './used-by.tsx'

/** Called after the connection was changed, with the message to show. */
export type Changed = (said: string) => void
type Props = { row: Connection; changed: Changed }

export const pathOf = ({ id }: Connection) => `connections/${encodeURIComponent(id)}`
export const patch = (row: Connection, body: object) => call<Connection>('PATCH', pathOf(row), { body })

const Rename = ({ row, changed, onClose }: Props & { onClose(): void }) => {
  const [name, setName] = useState(row.name)
  const { run, busy, problem } = useAction(async () => {
    await patch(row, { name: name.trim() })
    changed('Renamed.')
    onClose()
  })
  return (
    <Dialog title="Rename the connection" onClose={onClose}>
      <form
        class="cn-fields"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <label>
          Name
          <input
            type="text"
            required
            maxLength={128}
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <p class="muted">Runs that name the connection “{row.name}” have to use the new name; its id stays.</p>
        {problem && <ProblemBox problem={problem} />}
        <footer class="row">
          <Button kind="primary" type="submit" busy={busy}>
            Rename
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </footer>
      </form>
    </Dialog>
  )
}

const plural = (count: number, more: boolean, noun: string) =>
  `${count}${more ? ' or more' : ''} ${noun}${count === 1 && !more ? '' : 's'}`

/** What stops working when the connection can no longer be used. */
const Stops = ({ subscriptions, usage }: Uses) => {
  const tokens = usage.data?.tokens ?? []
  const { items, hasMore } = subscriptions
  return (
    <ul>
      {items.length > 0 && (
        <li>
          {plural(items.length, hasMore, 'trigger')} no longer{' '}
          {items.length === 1 && !hasMore ? 'starts its agent' : 'start their agents'}:{' '}
          {items.slice(0, 5).map(titleOf).join(', ')}
          {(items.length > 5 || hasMore) && ', …'}.
        </li>
      )}
      {tokens.length > 0 && (
        <li>
          {plural(tokens.length, false, 'token')} bound to it: {tokens.map(({ name }) => name).join(', ')}.
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
export const Actions = ({ row, changed }: Props) => {
  const [isRenaming, setRenaming] = useState(false)
  const reconnect = useAction(() => goConnect({ connection: row.id }, pathTo('connections', row.id)))
  const test = useTest({ row, changed })
  const enable = useAction(async () => {
    await patch(row, { disabled: false })
    changed('Enabled.')
  })
  const makeDefault = useAction(async () => {
    await patch(row, { isDefault: true })
    changed('This is now the default connection.')
  })
  const problem = [reconnect, test, enable, makeDefault].find((action) => action.problem)?.problem
  const isBroken = row.state === 'needs_reconnect' || row.state === 'revoked'
  const isBound = session.value?.token.connections != null
  return (
    <>
      {problem && <ProblemBox problem={problem} />}
      <p class="row">
        {row.state === 'disabled' && (
          <Button kind="primary" busy={enable.busy} onClick={() => void enable.run()}>
            Enable
          </Button>
        )}
        <Button kind={isBroken ? 'primary' : 'plain'} busy={reconnect.busy} onClick={() => void reconnect.run()}>
          Reconnect
        </Button>
        {row.state !== 'revoked' && row.state !== 'disabled' && (
          <Button busy={test.busy} onClick={() => void test.run()}>
            Test
          </Button>
        )}
        {!row.isDefault && !isBound && (
          <Button busy={makeDefault.busy} onClick={() => void makeDefault.run()}>
            Make default
          </Button>
        )}
        <Button onClick={() => setRenaming(true)}>Rename</Button>
      </p>
      {isRenaming && <Rename row={row} changed={changed} onClose={() => setRenaming(false)} />}
    </>
  )
}

/** Actions that may stop triggers and runs; each asks first. */
export const Dangers = ({ row, changed, gone, uses }: Props & { gone(): void; uses: Uses }) => (
  <section class="panel" aria-labelledby="dangers">
    <h2 id="dangers">Disable or remove</h2>
    <div class="row">
      {row.state !== 'disabled' && row.state !== 'revoked' && (
        <ConfirmButton
          label="Disable"
          kind="plain"
          title={`Disable “${row.name}”?`}
          confirm="Disable"
          act={async () => {
            await patch(row, { disabled: true })
            changed('Disabled.')
          }}
        >
          <p>Its secrets are kept, and you can enable it again. Until then:</p>
          <Stops {...uses} />
        </ConfirmButton>
      )}
      {row.state !== 'revoked' && (
        <ConfirmButton
          label="Revoke"
          title={`Revoke “${row.name}”?`}
          confirm="Revoke"
          act={async () => {
            await patch(row, { revoked: true })
            changed('Revoked.')
          }}
        >
          <p>
            Its secrets are deleted here and, where possible, revoked at the provider. Its name, tokens and triggers are
            kept for a reconnect. Until then:
          </p>
          <Stops {...uses} />
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Remove"
        title={`Remove “${row.name}”?`}
        confirm="Remove"
        act={async () => {
          await call('DELETE', pathOf(row))
          gone()
        }}
      >
        <p>
          Its secrets and its webhooks at the provider are removed. This cannot be undone: connecting the account again
          creates a new connection.
        </p>
        <Stops {...uses} />
      </ConfirmButton>
    </div>
  </section>
)
