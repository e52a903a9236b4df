/** The result of a run: what it has done, what it gave, and its duration and cost. */
import type { RunDetail } from '../../../../api/resources/run.ts'
import { apiRoot, may, pathTo, useApi } from '../../api/index.ts'
import { Badge, Button, Facts, formatDuration, Panel, plural, Sentence, Time } from '../../ui/index.ts'
import { OutputViews } from './output.tsx'
import { filesIn } from './records.ts'
import { useThingNames } from './use-thing-names.ts'
import type { Meta, Result } from './use-run.ts'

const creditsOf = ({ credits, cached }: Meta) =>
  credits &&
  `${plural(credits.charged, 'credit')}${credits.estimated ? ', estimated' : ''}${cached ? ', by an earlier run' : ''}`

const MetaFacts = ({ meta }: { meta: Meta }) => (
  <Facts
    facts={[
      ['Took', meta.durationMs !== undefined && formatDuration(meta.durationMs)],
      ['Requests', meta.attempts],
      ['Credits', creditsOf(meta)],
      ['Connection', meta.connection?.name],
      ['Repeated', meta.cached && 'This is the stored outcome of an earlier run; nothing was sent again.'],
      ['Run', <a href={pathTo('runs', meta.runId)}>View the run</a>],
      ['Not listed', meta.unlisted && 'This endpoint is not in the catalogue, so its parameters were not checked.'],
    ]}
  />
)

const Files = ({ output }: { output: unknown }) => {
  const files = filesIn(output)
  if (files.length === 0) return null
  return (
    <>
      <h3>Files</h3>
      <ul>
        {files.map(({ id, name }) => (
          <li key={id}>
            <a href={`${apiRoot}files/${encodeURIComponent(id)}`} download={name}>
              Download {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

type ResultProps = {
  result: Result
  /** The time at which this result was saved as a sample; absent for a fresh run. */
  savedAt?: string | undefined
  /** Reads the next page with this cursor. */
  readNext?: ((cursor: string) => void) | undefined
  save?: (() => void) | undefined
  isSaving: boolean
}

/** What the run has done, in a sentence and with names, where the integration has words for it. */
const useRunOf = (meta: Meta | undefined, connection: string | undefined) => {
  const { data } = useApi<RunDetail>(meta && may('read') ? `runs/${encodeURIComponent(meta.runId)}` : undefined)
  return { summary: data?.summary, names: useThingNames(meta && connection, data) }
}

export const ResultPanel = ({ result: { output, meta, intent }, savedAt, readNext, save, isSaving }: ResultProps) => {
  const { summary, names } = useRunOf(meta, intent.connection)
  const next = (output as { next?: unknown } | null)?.next
  return (
    <Panel label="Result">
      <header class="row">
        <h2>Result</h2>
        {savedAt === undefined ? (
          <Badge tone="good">Done</Badge>
        ) : (
          <>
            <Badge>Sample</Badge>
            <span class="muted">
              saved <Time at={savedAt} />; nothing was sent
            </span>
          </>
        )}
      </header>
      {summary && (
        <p class="said-first">
          <Sentence of={summary} otherwise="" />
        </p>
      )}
      {meta?.warnings?.map((warning) => (
        <p key={warning} class="note">
          {warning}
        </p>
      ))}
      <OutputViews
        key={meta?.runId}
        integration={intent.integration}
        step={intent.step}
        names={names}
        output={output}
      />
      <Files output={output} />
      <p class="row">
        {readNext && typeof next === 'string' && <Button onClick={() => readNext(next)}>Next page</Button>}
        {save && (
          <Button busy={isSaving} onClick={save}>
            Save as sample
          </Button>
        )}
      </p>
      {meta && <MetaFacts meta={meta} />}
    </Panel>
  )
}
