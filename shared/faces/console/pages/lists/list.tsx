import { useLocation, useRoute } from 'preact-iso/router'
import type { PeopleList as PeopleListView, PeopleListRows } from '../../../../api/resources/people-list.ts'
import { call, may, pathTo, useApi, usePages } from '../../api/index.ts'
import {
  ConfirmButton,
  CopiedId,
  Details,
  Empty,
  Facts,
  List,
  number,
  Page,
  Panel,
  Time,
  WhenLoaded,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { LookUp } from './look-up.tsx'
import { kindOf, sourceOf } from './words.ts'

type Row = PeopleListRows['items'][number]

/** A table with more columns is hard to read. */
const maxColumns = 12

const columnsOf = (names: string[]): Column<Row>[] => [
  { title: 'Row', number: true, cell: ({ row }) => number(row) },
  ...names
    .slice(0, maxColumns)
    .map((name): Column<Row> => ({ title: name, cell: ({ values }) => values[name] ?? '–' })),
  { title: 'Checked', cell: ({ checkedAt }) => (checkedAt === null ? 'never' : <Time at={checkedAt} relative />) },
]

const Rows = ({ list }: { list: PeopleListView }) => {
  const rows = usePages<Row>(`people-lists/${encodeURIComponent(list.id)}`)
  const hiddenColumns = list.columns.slice(maxColumns)
  return (
    <Panel title="Rows">
      <List
        list={rows}
        what="Rows"
        stacks
        keyOf={({ row }) => String(row)}
        columns={columnsOf(list.columns)}
        empty={
          <Empty title="No rows to show">
            <p>Rows of people who were suppressed or erased are not shown. To replace them, store a new list.</p>
          </Empty>
        }
      />
      {hiddenColumns.length > 0 && <p class="muted">Not shown: {hiddenColumns.join(', ')}.</p>}
    </Panel>
  )
}

const Delete = ({ list: { id, name } }: { list: PeopleListView }) => {
  const { route } = useLocation()
  const remove = async () => {
    await call('DELETE', `people-lists/${encodeURIComponent(id)}`)
    route(pathTo('lists'))
  }
  return (
    <ConfirmButton label="Delete" title={`Delete “${name}”?`} confirm="Delete the list" act={remove}>
      <p>The list and its rows are deleted. Jobs that use it continue with their copy of the rows.</p>
    </ConfirmButton>
  )
}

const About = ({ list }: { list: PeopleListView }) => (
  <Panel label="About the list">
    <Facts
      facts={[
        ['Contains', kindOf(list)],
        ['Rows', number(list.rows)],
        ['Made from', sourceOf(list)],
        ['For', list.person ?? 'the workspace'],
        ['Made', <Time at={list.createdAt} relative />],
        ['Expires', <Time at={list.expiresAt} relative />],
      ]}
    />
    <Details title="Details">
      <Facts facts={[['List', <CopiedId id={list.id} />]]} />
    </Details>
  </Panel>
)

const PeopleList = () => {
  const id = useRoute().params['id'] ?? ''
  const loaded = useApi<PeopleListView>(`people-lists/${encodeURIComponent(id)}`, { limit: 1 })
  const { data } = loaded
  return (
    <Page
      title={data?.name ?? 'List'}
      list="lists"
      actions={
        data &&
        may('run') && (
          <>
            <LookUp list={data} />
            <Delete list={data} />
          </>
        )
      }
    >
      <WhenLoaded of={loaded} what="the list">
        {(list) => (
          <>
            <About list={list} />
            <Rows list={list} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default PeopleList
