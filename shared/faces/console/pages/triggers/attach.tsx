import { useRoute } from 'preact-iso/router'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { manifestOf, pathTo, server, triggerOf } from '../../api/index.ts'
import type { Manifest, TriggerManifest } from '../../api/index.ts'
import { ConnectionField } from '../../form/connection.tsx'
import { Form } from '../../form/form.tsx'
import { optionsOf } from '../../form/load.ts'
import {
  Badges,
  Button,
  ButtonLink,
  Empty,
  Icon,
  JsonView,
  Page,
  Panel,
  ProblemBox,
  Sentence,
  TextField,
} from '../../ui/index.ts'
import { Recipe } from '../agents/recipe.tsx'
import { SendSample } from '../agents/send-sample.tsx'
import { agentPath } from '../agents/words.tsx'
import { AgentSecret } from './agent-secret.tsx'
import { TestAgent } from './test-agent.tsx'
import { useAttach } from './use-attach.ts'
import type { AttachState } from './use-attach.ts'
import { badgesOf } from './words.tsx'

/** The way on from an attached trigger: the agent gets its secret, a sample shows that it works, then something happens. */
const CreatedSubscription = ({ made }: { made: Subscription }) => (
  <>
    <Panel title="The trigger is attached" label="Attached">
      <p>
        {made.summary && 'From now on it waits for '}
        <Sentence of={made.summary} otherwise="From now on, matching events start the agent" />.
      </p>
      <ol class="steps-on">
        {made.agent.secret !== undefined && (
          <li>
            <p>Give the agent its secret.</p>
            <AgentSecret secret={made.agent.secret} />
          </li>
        )}
        <li>
          <p>See whether it takes starts. Its address was called once; a sample is a whole start.</p>
          {made.agent.url !== null && <TestAgent body={{ subscription: made.id }} now />}
          <SendSample subscription={made.id} kind="primary" />
        </li>
        <li>
          <p class="row">
            <ButtonLink to={['subscriptions', made.id]}>Listen for a test event</ButtonLink>
            <a href={agentPath(made.agent)}>Open the agent</a>
          </p>
        </li>
      </ol>
    </Panel>
    <Recipe attach={false} />
  </>
)

const AgentForm = ({ state: { agent, setAgent, wrongAgent, busy, submit } }: { state: AttachState }) => (
  <form
    class="form"
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      void submit()
    }}
  >
    <TextField
      label="Address of the agent"
      spellcheck={false}
      value={agent.url}
      error={wrongAgent['url']}
      announced
      change={(url) => setAgent({ ...agent, url })}
      hint={
        server.value?.sandbox?.agent
          ? 'Starts are sent here by POST. The example agent of the sandbox is filled in.'
          : 'Starts are sent here by POST.'
      }
    />
    <TestAgent body={{ url: agent.url.trim() }} disabled={agent.url.trim() === ''} />
    <TextField
      label="Id of the agent (optional)"
      spellcheck={false}
      value={agent.id}
      error={wrongAgent['id']}
      announced
      change={(id) => setAgent({ ...agent, id })}
      hint="Your own id for it; every start contains it."
    />
    <p class="muted">
      The secret that signs the starts is shown once, when the trigger is attached. No agent yet?{' '}
      <a href={pathTo('agents')}>Take a worked one</a>.
    </p>
    <p class="row actions">
      <Button type="submit" kind="primary" busy={busy}>
        Attach
      </Button>
    </p>
  </form>
)

const AttachForm = ({
  manifest,
  trigger,
  state,
}: {
  manifest: Manifest
  trigger: TriggerManifest
  state: AttachState
}) => {
  const { connection, choose, config, options, submit } = state
  const path = `triggers/${encodeURIComponent(manifest.id)}/${encodeURIComponent(trigger.id)}`
  return (
    <Panel label="Settings">
      <ConnectionField
        integration={manifest.id}
        types={trigger.connection?.types}
        value={connection}
        onChange={choose}
      />
      <Form {...config} optionsFor={optionsOf(path, connection)} integration={manifest.id} onSubmit={submit} />
      <details class="tr-options" open={options.errors.length > 0 || undefined}>
        <summary>Options</summary>
        <Form {...options} integration={manifest.id} onSubmit={submit} />
      </details>
      <h2>Agent</h2>
      <AgentForm state={state} />
    </Panel>
  )
}

/** Types of events that cannot be recovered, by their reason: many types share one. */
const typesByReason = ({ whyWebhookOnly = {} }: TriggerManifest): [why: string, types: string[]][] =>
  [...Map.groupBy(Object.entries(whyWebhookOnly), ([, why]) => why)].map(([why, entries]) => [
    why,
    entries.map(([type]) => type),
  ])

const AttachTrigger = ({ manifest, trigger }: { manifest: Manifest; trigger: TriggerManifest }) => {
  const state = useAttach(manifest.id, trigger)
  return (
    <Page title={trigger.title} list="triggers">
      <p>{trigger.purpose}</p>
      <p class="badges">
        <Icon path={trigger.icon} />
        <span class="muted">{manifest.title}</span>
        <Badges badges={badgesOf(trigger)} />
      </p>
      {!trigger.ready && (
        <p class="note">{trigger.notReady ?? `The operator must first set ${trigger.needs.join(', ')}.`}</p>
      )}
      {trigger.caveat !== null && <p class="note">{trigger.caveat}</p>}
      {typesByReason(trigger).map(([why, types]) => (
        <p key={why} class="note">
          <code>{types.join(', ')}</code>: {why}
        </p>
      ))}
      <div class="columns tr-columns">
        <div>
          <ProblemBox problem={state.problem} connection={state.connection} />
          {state.made ? (
            <CreatedSubscription made={state.made} />
          ) : (
            <AttachForm manifest={manifest} trigger={trigger} state={state} />
          )}
        </div>
        <Panel title="Sample event" label="Sample event">
          <p class="muted">What the agent receives as “event”, with made-up data.</p>
          <JsonView value={trigger.sample} name="event" />
        </Panel>
      </div>
    </Page>
  )
}

const Attach = () => {
  const { integration = '', trigger: id = '' } = useRoute().params
  const [manifest, trigger] = [manifestOf(integration), triggerOf(integration, id)]
  if (!manifest || !trigger)
    return (
      <Page title="Attach a trigger">
        <Empty title="There is no such trigger">
          <p>
            No integration here has a trigger “{integration}/{id}”. Choose one of{' '}
            <a href={pathTo('triggers')}>all triggers</a>.
          </p>
        </Empty>
      </Page>
    )
  return <AttachTrigger key={`${integration}/${id}`} manifest={manifest} trigger={trigger} />
}

export default Attach
