import { useRoute } from 'preact-iso/router'
import { manifestOf, pathTo, session, stepOf, useApi } from '../../api/index.ts'
import type { Manifest, StepManifest } from '../../api/index.ts'
import { ConnectionField } from '../../form/connection.tsx'
import { Form } from '../../form/form.tsx'
import { accountFieldsOf, optionsOf } from '../../form/load.ts'
import { Badges, Button, Empty, Icon, JsonView, Page, Panel, useAddress } from '../../ui/index.ts'
import { CopyAs } from './copy-as.tsx'
import { badgesOf } from './describe.ts'
import { EndpointPicker } from './endpoints.tsx'
import { Outcome, SampleNote, samplePath } from './outcome.tsx'
import type { StepSample } from '../../../../api/resources/step-sample.ts'
import { apiCallId, useStep } from './use-step.ts'
import type { StepState } from './use-step.ts'

/** The replacement for a deprecated step. `use`: its title or its id. */
const Instead = ({ manifest, use }: { manifest: Manifest; use: string }) => {
  const other = manifest.steps.find(({ id, title }) => id === use || title === use)
  return other ? <a href={pathTo('steps', manifest.id, other.id)}>{other.title}</a> : <>{use}</>
}

const About = ({ manifest, step }: { manifest: Manifest; step: StepManifest }) => {
  const replaced = step.deprecated ?? step.legacy
  return (
    <>
      <p>{step.purpose}</p>
      <p class="badges">
        <Icon path={step.icon} />
        <span class="muted">
          {manifest.title}, {step.group}
        </span>
        <Badges badges={badgesOf(step)} />
      </p>
      {step.price !== null && <p>Price: {step.price}.</p>}
      {replaced && (
        <p class="note">
          Use <Instead manifest={manifest} use={replaced.use} /> instead.
        </p>
      )}
      {!step.ready && <p class="note">{step.notReady ?? `The operator must first set ${step.needs.join(', ')}.`}</p>}
    </>
  )
}

const StepForm = ({ manifest, step, state }: { manifest: Manifest; step: StepManifest; state: StepState }) => {
  const { form, connection, choose, change, run, preview, submit } = state
  const { phase } = run.state
  const path = `steps/${encodeURIComponent(manifest.id)}/${encodeURIComponent(step.id)}`
  const isBusy = phase === 'running' || phase === 'previewing'
  return (
    <Panel label="Input">
      {step.connection && (
        <ConnectionField
          integration={manifest.id}
          types={step.connection.types}
          required={step.connection.required}
          value={connection}
          onChange={choose}
        />
      )}
      {step.id === apiCallId && (
        <EndpointPicker apiCall={manifest.apiCall} values={form.draft.values} change={change} />
      )}
      <Form
        {...form}
        optionsFor={optionsOf(path, connection)}
        accountFields={accountFieldsOf(path, connection, step.accountFields)}
        integration={manifest.id}
        onSubmit={isBusy ? () => {} : submit}
      >
        <p class="row actions">
          <Button type="submit" kind="primary" busy={isBusy}>
            Run
          </Button>
          <Button busy={isBusy} onClick={preview}>
            Preview
          </Button>
        </p>
      </Form>
    </Panel>
  )
}

const Returns = ({ step }: { step: StepManifest }) =>
  step.sample === null ? null : (
    <details class="panel">
      <summary>What it returns, with made-up data</summary>
      <JsonView value={step.sample} name="output" />
    </details>
  )

const StepPage = ({ manifest, step, from }: { manifest: Manifest; step: StepManifest; from: string | undefined }) => {
  const state = useStep(manifest, step, from)
  const { run, intentOf, fill, isForgotten } = state
  const at = samplePath(intentOf())
  const sample = useApi<StepSample>(at)
  const useSample = ({ input, output, savedAt }: StepSample) => {
    fill(input)
    run.show({ output, intent: intentOf(input), savedAt })
  }
  const { result, preview, phase } = run.state
  return (
    <Page title={step.title} list="steps">
      <About manifest={manifest} step={step} />
      {isForgotten && (
        <p class="note">
          The input of <a href={pathTo('runs', from!)}>that run</a> is no longer available: the server does not store
          inputs, and this tab was reloaded. Fill in the form again.
        </p>
      )}
      <SampleNote at={at} sample={sample} use={useSample} />
      <div class="columns step">
        <StepForm manifest={manifest} step={step} state={state} />
        <div>
          <Outcome step={step} state={state} sample={sample} />
          {!result && !preview && phase === 'idle' && <Returns step={step} />}
          <CopyAs call={{ ...intentOf(), tool: step.tool, tenant: session.value!.tenant.id }} />
        </div>
      </div>
    </Page>
  )
}

const Step = () => {
  const { integration = '', step: id = '' } = useRoute().params
  const { query } = useAddress()
  const [manifest, step] = [manifestOf(integration), stepOf(integration, id)]
  if (!manifest || !step)
    return (
      <Page title="Step">
        <Empty title="There is no such step">
          <p>
            No integration here has a step “{integration}/{id}”. Choose one of <a href={pathTo('steps')}>all steps</a>.
          </p>
        </Empty>
      </Page>
    )
  return (
    <StepPage key={`${integration}/${id}/${query['run'] ?? ''}`} manifest={manifest} step={step} from={query['run']} />
  )
}

export default Step
