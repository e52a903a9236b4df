import { call, session, stepNameOf, toolSetTitle, useConnections, usePages } from '../../api/index.ts'
import {
  Badge,
  ConfirmButton,
  CopiedId,
  DialogButton,
  Empty,
  Facts,
  Filters,
  List,
  personColumns,
  personFilter,
  plural,
  Time,
  useAddress,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import type { Token } from '../../../../api/resources/token.ts'
import { NewToken, scopeTexts } from './new-token.tsx'
import type { SectionProps } from './section-props.ts'

const State = ({ token: { revokedAt, expiresAt } }: { token: Token }) => {
  if (revokedAt !== null) return <Badge tone="bad">revoked</Badge>
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return <Badge tone="warn">expired</Badge>
  return <Badge tone="good">valid</Badge>
}

/** What it is limited to, by names; connections of another tenant have no names here. */
const limitsOf = ({ steps, connections, toolSet }: Token, nameOf: NameOf): string => {
  const names = (connections ?? []).map(nameOf)
  const texts = [
    toolSet !== null && `the tool set “${toolSetTitle(toolSet)}”`,
    steps && (steps.length <= 3 ? steps.map(stepNameOf).join(', ') : `${steps.length} steps`),
    connections &&
      (names.length <= 3 && names.every((name) => name !== undefined)
        ? names.map((name) => `“${name}”`).join(', ')
        : plural(names.length, 'connection')),
  ].filter(Boolean)
  return texts.length === 0 ? 'nothing' : `only ${texts.join('; ')}`
}

type NameOf = (id: string) => string | undefined

/** Scopes as what they let one do. */
const mayOf = (scopes: Token['scopes']) =>
  scopes.includes('admin') ? 'operate this server' : scopes.map((scope) => scopeTexts[scope]).join(', ')

const Details = ({ token: { id, last4, scopes, steps, connections, createdAt } }: { token: Token }) => (
  <details>
    <summary>Details</summary>
    <Facts
      facts={[
        ['Token', <CopiedId id={id} />],
        ['Last characters', last4 !== '' && <code>…{last4}</code>],
        ['Scopes', scopes.join(', ')],
        ['Steps', steps?.map(stepNameOf).join(', ')],
        ['Connections', connections?.map((connection) => <CopiedId key={connection} id={connection} />)],
        ['Created', <Time at={createdAt} />],
      ]}
    />
  </details>
)

const columnsOf = (tenant: string, rows: Token[], nameOf: NameOf, reload: () => void): Column<Token>[] => [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'State', cell: (token) => <State token={token} /> },
  { title: 'May', cell: ({ scopes }) => mayOf(scopes) },
  { title: 'Limited to', cell: (token) => limitsOf(token, nameOf) },
  ...personColumns(rows),
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
  { title: 'Details', cell: (token) => <Details token={token} /> },
]

export const Tokens = ({ tenant }: SectionProps) => {
  const { person } = useAddress().query
  const list = usePages<Token>('admin/tokens', { tenant, person })
  const { choices } = useConnections(undefined, tenant === session.value?.tenant.id)
  const nameOf = (id: string) => choices.find(([value]) => value === id)?.[1]
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
        columns={columnsOf(tenant, list.items, nameOf, list.reload)}
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
