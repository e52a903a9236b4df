import { useState } from 'preact/hooks'
import type { RunDone } from '../../../../api/resources/run.ts'
import { pathTo, post, useAction } from '../../api/index.ts'
import type { StepManifest } from '../../api/index.ts'
import { Button, formatDuration, JsonView, ProblemBox } from '../../ui/index.ts'
import type { Suggestion } from './choose.ts'

/** Runs a step that needs no input, and shows its output. */
export const RunStep = ({
  chosen: { manifest, item, connection },
  ran,
}: {
  chosen: Suggestion<StepManifest>
  ran(): void
}) => {
  const [result, setResult] = useState<RunDone>()
  const running = useAction(async () => {
    setResult(
      await post<RunDone>(`steps/${encodeURIComponent(manifest.id)}/${encodeURIComponent(item.id)}/run`, {
        connection: connection.id,
        input: {},
      }),
    )
    ran()
  })
  return (
    <>
      <p>
        “{item.title}” reads the account “{connection.name}” and costs nothing. {item.purpose}
      </p>
      <p class="row">
        <Button kind="primary" action={running}>
          Run “{item.title}”
        </Button>
        <a href={pathTo('steps', manifest.id, item.id)}>Open the full form</a>
      </p>
      <ProblemBox problem={running.problem} connection={connection.id} />
      <div role="status">
        {result && (
          <>
            <p>
              Done in {formatDuration(result.meta.durationMs)}.{' '}
              <a href={pathTo('runs', result.meta.runId)}>View the run</a>
            </p>
            <JsonView value={result.output} name="output" />
          </>
        )}
      </div>
    </>
  )
}
