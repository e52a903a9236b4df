/** Programs that people let in, to look at, to narrow and to end. */
import { call, useConnections, usePages } from '../../api/index.ts'
import {
  ConfirmButton,
  CopiedId,
  DialogButton,
  Empty,
  Facts,
  List,
  Page,
  personColumns,
  plural,
  Time,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import type { Grant } from '../../../../api/resources/grant.ts'
import { NarrowGrant } from './narrow.tsx'
import { limitsOf, mayOf, nameOf } from './words.ts'
import type { NameOf } from './words.ts'

const EndGrant = ({ grant, reload }: { grant: Grant; reload: () => void }) => (
  <ConfirmButton
    label="End"
    title={`End the access of “${nameOf(grant)}”?`}
    confirm="End its access"
    act={async () => {
      await call('DELETE', `grants/${encodeURIComponent(grant.id)}`)
      reload()
    }}
  >
    <p>Its tokens are refused at once. To let it in again, somebody has to sign in again.</p>
  </ConfirmButton>
)

const columnsOf = (rows: Grant[], nameOfConnection: NameOf, reload: () => void): Column<Grant>[] => [
  {
    title: 'Program',
    cell: (grant) => (
      <>
        {nameOf(grant)}
        <br />
        <span class="muted">{grant.client.host === null ? 'nobody vouches for this name' : grant.client.name}</span>
      </>
    ),
  },
  {
    title: 'May',
    cell: (grant) => (
      <>
        {mayOf(grant)}
        {limitsOf(grant, nameOfConnection) !== undefined && (
          <div class="muted">{limitsOf(grant, nameOfConnection)}</div>
        )}
      </>
    ),
  },
  {
    title: 'Spends',
    cell: ({ monthlyCredits }) =>
      monthlyCredits === null ? 'no limit of its own' : `at most ${plural(monthlyCredits, 'credit')} a month`,
  },
  ...personColumns(rows),
  { title: 'Let in by', cell: ({ who }) => who },
  { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} relative />) },
  // Everybody may change what they let in themselves; the server refuses those of others where the scope lacks.
  {
    title: 'Actions',
    cell: (grant) => (
      <p class="row">
        <DialogButton label="Narrow">
          {(close) => <NarrowGrant grant={grant} close={close} reload={reload} />}
        </DialogButton>
        <EndGrant grant={grant} reload={reload} />
      </p>
    ),
  },
  { title: 'Details', cell: (grant) => <Details grant={grant} /> },
]

const Details = ({ grant: { id, client, resource, scopes, createdAt, expiresAt } }: { grant: Grant }) => (
  <details>
    <summary>Details</summary>
    <Facts
      facts={[
        ['Program', client.id],
        ['Reaches', <code>{resource}</code>],
        ['Scopes', scopes.join(', ')],
        ['Let in', <Time at={createdAt} />],
        ['Ends without use', <Time at={expiresAt} />],
        ['Grant', <CopiedId id={id} />],
      ]}
    />
  </details>
)

const Programs = () => {
  const list = usePages<Grant>('grants')
  const { choices } = useConnections()
  const nameOfConnection = (id: string) => choices.find(([value]) => value === id)?.[1]
  return (
    <Page title="Programs">
      <List
        list={list}
        what="Programs"
        columns={columnsOf(list.items, nameOfConnection, list.reload)}
        empty={
          <Empty title="Nobody let a program in yet">
            <p>Add the address of this server to a program; it then asks somebody to sign in here.</p>
          </Empty>
        }
      />
    </Page>
  )
}

export default Programs
