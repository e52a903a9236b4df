/** The end users of the platform whom calls act for. */
import type { Person } from '../../../../api/resources/person.ts'
import { pathTo, usePages } from '../../api/index.ts'
import { Empty, List, number, Page } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { limitOf, spentOf } from '../usage/words.ts'

const connectionsOf = ({ connections }: Person) => {
  const broken = connections.filter(({ state }) => state === 'needs_reconnect' || state === 'revoked').length
  if (connections.length === 0) return 'none of their own'
  const names = connections.slice(0, 3).map(({ name }) => name)
  const more = connections.length - names.length
  return `${names.join(', ')}${more > 0 ? `, and ${more} more` : ''}${broken > 0 ? `; ${broken} to reconnect` : ''}`
}

const columns: Column<Person>[] = [
  { title: 'Person', cell: ({ id }) => <a href={pathTo('people', id)}>{id}</a> },
  { title: 'Connections', cell: connectionsOf },
  { title: 'Limits', cell: ({ budgets }) => (budgets.length === 0 ? 'none' : budgets.map(limitOf).join('; ')) },
  {
    title: 'Runs in 30 days',
    number: true,
    cell: ({ usage: { runs, failed } }) => (failed === 0 ? number(runs) : `${number(runs)} (${number(failed)} failed)`),
  },
  { title: 'Credits in 30 days', number: true, cell: ({ usage: { credits } }) => spentOf(credits) },
]

const People = () => {
  const list = usePages<Person>('people')
  return (
    <Page title="People">
      <List
        list={list}
        what="People"
        stacks
        columns={columns}
        empty={
          <Empty title="Nobody has been named yet">
            <p>
              People are the end users of your platform, by its own names for them. They appear here once a connection,
              a token or a call says for whom it is.
            </p>
          </Empty>
        }
      />
    </Page>
  )
}

export default People
