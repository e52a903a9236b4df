/** What a step gives, before it is run: the saved sample, or the example of the manifest. */
import type { StepSample } from '../../../../api/resources/step-sample.ts'
import type { ApiState, StepManifest } from '../../api/index.ts'
import { Badge, Panel, Time } from '../../ui/index.ts'
import { OutputViews } from './output.tsx'

type Props = { integration: string; step: StepManifest; sample: ApiState<StepSample> }

export const SamplePanel = ({ integration, step, sample: { data, problem, loading } }: Props) => {
  const saved = problem === undefined ? data : undefined
  if ((loading && !saved) || (!saved && step.sample === null)) return null
  return (
    <Panel label="Sample of the result">
      <header class="row">
        <h2>What you get</h2>
        <Badge tone="info">{saved ? 'Sample' : 'Example'}</Badge>
        <span class="muted">
          {saved ? (
            <>
              saved <Time at={saved.savedAt} relative />
            </>
          ) : (
            'with made-up data; nothing was sent'
          )}
        </span>
      </header>
      <OutputViews integration={integration} step={step.id} output={saved ? saved.output : step.sample} />
    </Panel>
  )
}
