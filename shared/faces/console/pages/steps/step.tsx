import { useRoute } from 'preact-iso/router'
import { useMemo } from 'preact/hooks'
import { manifestOf, pathTo, session, stepOf, useApi } from '../../api/index.ts'
import type { Manifest, StepManifest } from '../../api/index.ts'
import { ConnectionField } from '../../form/connection.tsx'
import { setFields } from '../../form/draft.ts'
import type { Layout } from '../../form/draft.ts'
import { Form } from '../../form/form.tsx'
import { accountFieldsOf, optionsOf } from '../../form/load.ts'
import { Badges, Button, Empty, Icon, Loading, Page, Panel, useAddress } from '../../ui/index.ts'
import { CopyAs } from './copy-as.tsx'
import { badgesOf } from './describe.ts'
import { EndpointPicker, useEndpoint } from './endpoints.tsx'
import { Price } from './price.tsx'
import { SamplePanel } from './sample-panel.tsx'
import { Outcome, SampleNote, samplePath } from './outcome.tsx'
import type { StepSample } from '../../../../api/resources/step-sample.ts'
import { useThingNames } from './use-thing-names.ts'
import { useEarlier } from './use-earlier.ts'
import type { Earlier } from './use-earlier.ts'
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
      {replaced && (
        <p class="note">
          Use <Instead manifest={manifest} use={replaced.use} /> instead.
        </p>
      )}
      {!step.ready && <p class="note">{step.notReady ?? `The operator must first set ${step.needs.join(', ')}.`}</p>}
    </>
  )
}

/** Optional fields from which a search is made; with fewer, all are shown. */
const fewFields = 4

/** A read that nothing is required for, but that many fields narrow. */
const isSearch = ({ effect, layout }: StepManifest) => {
  const ofSets = setFields(layout)
  return (
    effect === 'read' &&
    layout.fields.every(({ required }) => !required) &&
    layout.fields.filter(({ name }) => !ofSets.has(name)).length > fewFields
  )
}

/** The fields of API Call that an endpoint's own form fills in. */
const ofRequest = new Set(['method', 'path', 'query', 'body'])
const withoutRequest = (layout: Layout): Layout => ({
  ...layout,
  fields: layout.fields.filter(({ name }) => !ofRequest.has(name)),
})

const StepForm = ({ manifest, step, state }: { manifest: Manifest; step: StepManifest; state: StepState }) => {
  const { form, connection, choose, change, run, preview, submit, intentOf, isComplete, names } = state
  const { phase } = run.state
  const endpoint = useEndpoint(change)
  const learned = useThingNames(connection, undefined)
  const thingNames = useMemo(() => new Map([...learned, ...(names ?? [])]), [learned, names])
  const submitAll = () => endpoint.check() && submit()
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
        <EndpointPicker
          apiCall={manifest.apiCall}
          values={form.draft.values}
          endpoint={endpoint}
          onSubmit={submitAll}
        />
      )}
      <Form
        {...form}
        layout={endpoint.operation ? withoutRequest(form.layout) : form.layout}
        isSearch={isSearch(step)}
        optionsFor={optionsOf(path, connection)}
        accountFields={accountFieldsOf(path, connection, step.accountFields)}
        integration={manifest.id}
        names={thingNames}
        onSubmit={isBusy ? () => {} : submitAll}
      >
        <p class="row actions">
          <Button type="submit" kind="primary" busy={isBusy}>
            Run
          </Button>
          <Button busy={isBusy} onClick={() => endpoint.check() && preview()}>
            Preview
          </Button>
          <Price manifest={manifest} step={step} intent={isComplete ? intentOf() : undefined} />
        </p>
      </Form>
    </Panel>
  )
}

/** Whose input is in the form, when it is that of an earlier run. */
const EarlierNote = ({ from, by }: { from: string; by: Earlier['by'] }) => (
  <p class="note">
    {by === undefined
      ? 'The input was not kept: neither by the server, nor by this browser tab. Fill in the form again to repeat '
      : by === 'server'
        ? 'The form has the input that the server kept of '
        : 'The form has the input that this browser tab sent for '}
    <a href={pathTo('runs', from)}>this run</a>.
  </p>
)

type PageProps = { manifest: Manifest; step: StepManifest; from: string | undefined; earlier: Earlier }

const StepPage = ({ manifest, step, from, earlier }: PageProps) => {
  const state = useStep(manifest, step, earlier.intent)
  const { run, intentOf, fill } = state
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
      {from !== undefined && <EarlierNote from={from} by={earlier.by} />}
      <SampleNote at={at} sample={sample} use={useSample} />
      <div class="columns step">
        <StepForm manifest={manifest} step={step} state={state} />
        <div>
          <Outcome step={step} state={state} sample={sample} />
          {!result && !preview && phase === 'idle' && (
            <SamplePanel integration={manifest.id} step={step} sample={sample} />
          )}
          <CopyAs call={{ ...intentOf(), tool: step.tool, tenant: session.value!.tenant.id }} />
        </div>
      </div>
    </Page>
  )
}

const Step = () => {
  const { integration = '', step: id = '' } = useRoute().params
  const { query } = useAddress()
  const from = query['run']
  const earlier = useEarlier(from)
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
  if (earlier.isLoading)
    return (
      <Page title={step.title} list="steps">
        <Loading what="the input of the run" />
      </Page>
    )
  return (
    <StepPage
      key={`${integration}/${id}/${from ?? ''}`}
      manifest={manifest}
      step={step}
      from={from}
      earlier={earlier}
    />
  )
}

export default Step
