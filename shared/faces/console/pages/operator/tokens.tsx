import { call, session, usePages } from '../../api/index.ts'
import {
  Badge,
  ConfirmButton,
  DialogButton,
  Empty,
  Filters,
  List,
  personColumns,
  personFilter,
  Time,
  useAddress,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import type { Token } from '../../../../api/resources/token.ts'
import { NewToken } from './new-token.tsx'
import type { SectionProps } from './section-props.ts'

const State = ({ token: { revokedAt, expiresAt } }: { token: Token }) => {
  if (revokedAt !== null) return <Badge tone="bad">revoked</Badge>
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return <Badge tone="warn">expired</Badge>
  return <Badge tone="good">valid</Badge>
}

const Restrictions = ({ token: { steps, connections, toolSet } }: { token: Token }) => {
  if (!steps && !connections && toolSet === null) return <span class="muted">none</span>
  return (
    <details>
      <summary>
        {[
          steps && `steps: ${steps.length}`,
          connections && `connections: ${connections.length}`,
          toolSet !== null && `tool set: ${toolSet}`,
        ]
          .filter(Boolean)
          .join(', ')}
      </summary>
      <ul>
        {[...(steps ?? []), ...(connections ?? [])].map((id) => (
          <li key={id}>
            <code>{id}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

const columnsOf = (tenant: string, rows: Token[], reload: () => void): Column<Token>[] => [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Last characters', cell: ({ last4 }) => last4 !== '' && <code>…{last4}</code> },
  { title: 'State', cell: (token) => <State token={token} /> },
  { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { title: 'Restricted to', cell: (token) => <Restrictions token={token} /> },
  ...personColumns(rows),
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Expires', cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <Time at={expiresAt} />) },
  {
    title: 'Revoke',
    cell: ({ id, name, last4, revokedAt }) =>
      revokedAt === null && (
        <ConfirmButton
          label="Revoke"
          title={`Revoke the token “${name}”?`}
          confirm="Revoke the token"
          act={async () => {
            await call('DELETE', `admin/tokens/${encodeURIComponent(id)}`, { query: { tenant } })
            reload()
          }}
        >
          <p>
            Whatever uses the token{last4 !== '' && ` that ends in …${last4}`} is refused at once, and console sessions
            that it signed in end. This cannot be undone.
          </p>
          {id === session.value?.token.id && (
            <p>
              <strong>This is the token you are signed in with: you will be signed out.</strong>
            </p>
          )}
        </ConfirmButton>
      ),
  },
]

export const Tokens = ({ tenant }: SectionProps) => {
  const { person } = useAddress().query
  const list = usePages<Token>('admin/tokens', { tenant, person })
  return (
    <>
      <p>
        <DialogButton label="Create a token" kind="primary">
          {(close) => <NewToken tenant={tenant} onClose={close} onMade={list.reload} />}
        </DialogButton>
      </p>
      <Filters label="Tokens" filters={[personFilter]} />
      <List
        list={list}
        what="Tokens"
        columns={columnsOf(tenant, list.items, list.reload)}
        empty={
          person === undefined ? (
            <Empty title="This tenant has no tokens">
              <p>Create one for each program that uses the API, with the scopes that it needs.</p>
            </Empty>
          ) : (
            <Empty title="No token acts for this person" />
          )
        }
      />
    </>
  )
}
