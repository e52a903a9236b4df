/** An output: what people read first, as a tree and as JSON; copied and downloaded. */
import { useMemo, useState } from 'preact/hooks'
import { manifestOf, stepOf } from '../../api/index.ts'
import {
  Button,
  Checks,
  CodeBlock,
  CopyButton,
  Facts,
  JsonView,
  OutsideLink,
  plural,
  Table,
  Tabs,
} from '../../ui/index.ts'
import { useColumns } from './chosen-columns.ts'
import { tableIn, toCsv } from './csv.ts'
import { cellAt, columnsOf, readOutput, recordOf } from './readable.ts'
import type { Fact, Listing, Reading, Thing } from './readable.ts'
import { isBlank, isRow, leavesOf, linkKeyOf, nameOf, namesIn } from './records.ts'
import type { Row } from './records.ts'
import { titlesFor } from './titles.ts'
import { textOf, Value } from './values.tsx'

const FactList = ({ facts }: { facts: Fact[] }) =>
  facts.length === 0 ? null : <Facts facts={facts.map(({ title, value }) => [title, <Value value={value} />])} />

const Named = ({ name, link }: Pick<Thing, 'name' | 'link'>) =>
  name === undefined ? null : link === undefined ? <>{name}</> : <OutsideLink href={link}>{name}</OutsideLink>

const ThingView = ({ thing: { name, link, id, facts } }: { thing: Thing }) => (
  <article class="thing">
    {name !== undefined && (
      <h3>
        <Named name={name} link={link} />
      </h3>
    )}
    <FactList facts={facts} />
    {id !== undefined && <CopyButton text={id} label="Copy the id" />}
  </article>
)

const page = 100

/** `at`: what identifies the list, so that its columns are remembered. */
const ListView = ({ list, at, reading }: { list: Listing; at: string; reading: Reading }) => {
  const { name, title, rows, inner } = list
  const [shown, setShown] = useState(page)
  const offered = useMemo(() => columnsOf(list), [list])
  const { columns, isChosen, choose } = useColumns(`${at}/${name}`, offered)
  const numbered = rows.slice(0, shown)
  const isNamed = numbered.some((row) => nameOf(recordOf(row, inner)) !== undefined)
  const nameCell = (row: Row) => {
    const record = recordOf(row, inner)
    const linkKey = linkKeyOf(record)
    return <Named name={nameOf(record)} link={linkKey && String(record[linkKey])} />
  }
  const label = (path: string) => {
    const titled = reading.titleOf(path)
    return offered.all.some((other) => other !== path && reading.titleOf(other) === titled)
      ? `${titled} (${path})`
      : titled
  }
  return (
    <section class="listing">
      <h3>
        {title} <span class="muted">{plural(rows.length, 'row')}</span>
      </h3>
      <Table
        caption={`${title}: ${rows.length}`}
        columns={[
          ...(isNamed ? [{ title: 'Name', cell: nameCell }] : []),
          ...columns.map((path) => ({
            title: label(path),
            number: rows.every((row) => typeof cellAt(row, path, reading) === 'number'),
            cell: (row: Row) => <Value value={cellAt(row, path, reading)} isCell />,
          })),
        ]}
        rows={numbered}
        keyOf={(row) => String(numbered.indexOf(row))}
      />
      {rows.length > shown && <Button onClick={() => setShown(shown + page)}>Show more of {rows.length}</Button>}
      <details class="columns-chooser">
        <summary>Choose columns</summary>
        <Checks
          legend={`Columns of ${title}`}
          chosen={columns}
          change={choose}
          options={offered.all.map((path) => ({ value: path, label: label(path) }))}
          more={isChosen && <Button onClick={() => choose(undefined)}>Show the usual columns</Button>}
        />
      </details>
    </section>
  )
}

/** Every field of an output; those without a value are only named. */
const AllFields = ({ output }: { output: Row }) => {
  const [isOpen, setOpen] = useState(false)
  const fields = leavesOf(output)
  const filled = fields.filter(([, value]) => !isBlank(value))
  const empty = fields.filter(([, value]) => isBlank(value))
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All fields ({fields.length})</summary>
      {isOpen && (
        <>
          <Table
            caption="Fields"
            columns={[
              { title: 'Field', cell: ([field]: [string, unknown]) => <code>{field}</code> },
              { title: 'Value', cell: ([, value]) => textOf(value) },
            ]}
            rows={filled}
            keyOf={([field]) => field}
          />
          {empty.length > 0 && (
            <details>
              <summary>{plural(empty.length, 'empty field')}</summary>
              <p class="muted">{empty.map(([field]) => field).join(', ')}</p>
            </details>
          )}
        </>
      )}
    </details>
  )
}

type OutputProps = {
  integration: string
  step: string
  output: unknown
  /** The names of things that are known beside those in the output, by id. */
  names?: Map<string, string> | undefined
}

/** What API Call returned is in its body; the status says how it went. */
const apiCallOutput = (output: unknown) => {
  const { status, body } = isRow(output) ? output : {}
  return { shown: isRow(body) || Array.isArray(body) ? body : output, status }
}

const ReadableView = ({ integration, step, output, names }: OutputProps) => {
  const manifest = stepOf(integration, step)
  const isApiCall = step === 'api-call'
  const { shown, status } = isApiCall ? apiCallOutput(output) : { shown: output, status: undefined }
  const reading = useMemo<Reading>(
    () => ({
      titleOf: titlesFor(manifestOf(integration), manifest),
      names: new Map([...(names ?? []), ...namesIn(output)]),
    }),
    [output, names],
  )
  const { facts, things, lists } = useMemo(
    () => readOutput(shown, isApiCall ? null : (manifest?.agentFields ?? null), reading),
    [shown, reading],
  )
  if (!isRow(shown) && !Array.isArray(shown)) return <p>{textOf(shown) || 'The output is empty.'}</p>
  const isMissing = isRow(shown) && shown['matched'] === false
  return (
    <>
      {isMissing && <p class="nothing">Nothing was found.</p>}
      {Array.isArray(shown) && shown.length === 0 && <p class="nothing">The list is empty.</p>}
      <FactList
        facts={[
          ...(status === undefined ? [] : [{ path: 'status', title: 'Status', value: String(status) }]),
          ...facts.filter(({ path }) => !(isMissing && path === 'matched')),
        ]}
      />
      {things.map((thing, at) => (
        <ThingView key={at} thing={thing} />
      ))}
      {lists.map((list) => (
        <ListView key={list.name} list={list} at={`${integration}/${step}`} reading={reading} />
      ))}
      {isRow(shown) && Object.keys(shown).length > 0 && <AllFields output={shown} />}
    </>
  )
}

/** Until then the browser reads what it saves. */
const revokeMs = 60_000

const save = (name: string, type: string, text: string) => {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), revokeMs)
}

const asJson = (output: unknown) => JSON.stringify(output, null, 2) ?? 'null'

const Taking = ({ step, output }: Pick<OutputProps, 'step' | 'output'>) => {
  const rows = tableIn(step === 'api-call' ? apiCallOutput(output).shown : output)
  return (
    <p class="row">
      <CopyButton text={() => asJson(output)} label="Copy as JSON" />
      {rows.length > 0 && (
        // With a mark of its encoding, without which spreadsheets misread letters with accents.
        <Button onClick={() => save(`${step}.csv`, 'text/csv', `\uFEFF${toCsv(rows)}`)}>Download CSV</Button>
      )}
      <Button onClick={() => save(`${step}.json`, 'application/json', asJson(output))}>Download JSON</Button>
    </p>
  )
}

/** The output in several views to choose from. */
export const OutputViews = (props: OutputProps) => (
  <>
    <Tabs
      label="Views of the output"
      tabs={[
        { id: 'read', title: 'Result', content: () => <ReadableView {...props} /> },
        { id: 'tree', title: 'Tree', content: () => <JsonView value={props.output} name="output" /> },
        {
          id: 'raw',
          title: 'JSON',
          content: () => <CodeBlock label="Output as JSON" text={asJson(props.output)} />,
        },
      ]}
    />
    <Taking {...props} />
  </>
)
