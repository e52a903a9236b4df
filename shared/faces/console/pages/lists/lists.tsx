import type { PeopleList } from '../../../../api/resources/people-list.ts'
import { may, pathTo, usePages } from '../../api/index.ts'
import {
  Button,
  ButtonLink,
  Empty,
  Filters,
  List,
  number,
  Page,
  personColumns,
  personFilter,
  Time,
  useAddress,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { kindOf, sourceOf } from './words.ts'

const columnsOf = (rows: PeopleList[]): Column<PeopleList>[] => [
  { title: 'List', cell: ({ id, name }) => <a href={pathTo('lists', id)}>{name}</a> },
  { title: 'Contains', cell: kindOf },
  { title: 'Rows', number: true, cell: ({ rows: count }) => number(count) },
  { title: 'Made from', cell: sourceOf },
  ...personColumns(rows),
  { title: 'Made', cell: ({ createdAt }) => <Time at={createdAt} relative /> },
  { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} relative /> },
]

const NoLists = ({ person }: { person: string | undefined }) =>
  person === undefined ? (
    <Empty title="No lists yet">
      <p>
        A list stores people or companies under a name, for jobs and triggers to use. Make one from rows, a file, a
        search that you ran, or what a step reads.
      </p>
      {may('run') && (
        <p>
          <ButtonLink to={['lists', 'new']} kind="primary">
            Store a list
          </ButtonLink>
        </p>
      )}
    </Empty>
  ) : (
    <Empty title="No such lists" picture="search">
      <p>No list belongs to “{person}”.</p>
    </Empty>
  )

const PeopleLists = () => {
  const { query } = useAddress()
  const person = query['person']
  const list = usePages<PeopleList>('people-lists', { person })
  return (
    <Page
      title="Lists"
      about="Stored lists of people and companies, which jobs and triggers use by name."
      actions={
        <>
          {may('run') && (
            <ButtonLink to={['lists', 'new']} kind="primary">
              Store a list
            </ButtonLink>
          )}
          <Button onClick={list.reload}>Refresh</Button>
        </>
      }
    >
      {(person !== undefined || list.items.some((row) => row.person !== null)) && <Filters filters={[personFilter]} />}
      <List list={list} what="Lists" stacks columns={columnsOf(list.items)} empty={<NoLists person={person} />} />
    </Page>
  )
}

export default PeopleLists
