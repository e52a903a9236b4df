/** Input and output of a run, where the server keeps them, or else how to keep them. */
import type { RunDetail } from '../../../../api/resources/run.ts'
import { server } from '../../api/index.ts'
import { JsonView, Panel, Time } from '../../ui/index.ts'
import { recall } from '../steps/intents.ts'
import { OutputViews } from '../steps/output.tsx'
import { useThingNames } from '../steps/use-thing-names.ts'

const tooLarge = (what: string) => <p class="muted">The {what} was larger than 64 kB, so it was not kept.</p>

const Input = ({ value }: { value: unknown }) => (
  <Panel title="Input">
    <JsonView name="input" value={value} />
  </Panel>
)

const Output = ({ run, value }: { run: RunDetail; value: unknown }) => (
  <Panel title="Output">
    <OutputViews
      integration={run.integration}
      step={run.step}
      names={useThingNames(run.connection, run)}
      output={value}
    />
  </Panel>
)

export const Contents = ({ run }: { run: RunDetail }) => {
  const { contents } = run
  const sent = recall(run.id)
  if (contents)
    return (
      <>
        {contents.inputTooLarge ? tooLarge('input') : contents.input !== undefined && <Input value={contents.input} />}
        {contents.outputTooLarge
          ? tooLarge('output')
          : contents.output !== undefined && <Output run={run} value={contents.output} />}
        <p class="muted">
          Input and output are kept until <Time at={contents.until} />.
        </p>
      </>
    )
  return (
    <>
      {sent && <Input value={sent.input} />}
      {run.output !== undefined && <Output run={run} value={run.output} />}
      <p class="muted">
        {sent && 'This browser tab sent the input and remembers it until it is closed. '}
        {server.value?.contentsKept
          ? 'The server has not kept the input and output of this run, or not any more.'
          : 'This server keeps no input and output of runs. An operator can have them kept for a day with '}
        {!server.value?.contentsKept && (
          <>
            <code>TOOLYARD_RUN_CONTENTS=24h</code>.
          </>
        )}
      </p>
    </>
  )
}
