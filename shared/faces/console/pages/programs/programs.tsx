/** Programs that people let in, to look at, to narrow and to end. */
import { call, usePages } from '../../api/index.ts'
import { ConfirmButton, DialogButton, Empty, List, Page, personColumns, Time } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import type { Grant } from '../../../../api/resources/grant.ts'
import { NarrowGrant } from './narrow.tsx'
import { limitsOf, nameOf } from './words.ts'

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

const columnsOf = (rows: Grant[], reload: () => void): Column<Grant>[] => [
  {
    title: 'Program',
    cell: (grant) => (
      <>
        {nameOf(grant)}
        <br />
        <span class="muted">{grant.client.host === null ? 'not verified' : grant.client.name}</span>
      </>
    ),
  },
  {
    title: 'May',
    cell: (grant) => (
      <>
        {grant.scopes.join(', ')}
        <br />
        <span class="muted">{limitsOf(grant)}</span>
      </>
    ),
  },
  { title: 'At', cell: ({ resource }) => <code>{resource}</code> },
  { title: 'Credits a month', cell: ({ monthlyCredits }) => monthlyCredits ?? 'no limit of its own' },
  ...personColumns(rows),
  { title: 'Let in by', cell: ({ who }) => who },
  { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />) },
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
]

const Programs = () => {
  const list = usePages<Grant>('grants')
  return (
    <Page title="Programs">
      <List
        list={list}
        what="Programs"
        columns={columnsOf(list.items, list.reload)}
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
