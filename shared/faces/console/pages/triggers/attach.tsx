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
  ShownOnce,
  TextField,
} from '../../ui/index.ts'
import { TestAgent } from './test-agent.tsx'
import { useAttach } from './use-attach.ts'
import type { AttachState } from './use-attach.ts'
import { badgesOf } from './words.tsx'

/** The agent's signing secret, shown while it is known. */
export const AgentSecret = ({ secret }: { secret: string }) => (
  <ShownOnce name="Signing secret of the agent" noun="secret" text={secret}>
    <span class="muted">The agent uses it to verify that a start comes from this server.</span>
  </ShownOnce>
)

const CreatedSubscription = ({ made: { id, agent } }: { made: Subscription }) => (
  <Panel title="The trigger is attached" label="Attached">
    {agent.secret !== undefined && <AgentSecret secret={agent.secret} />}
    <p class="row">
      <ButtonLink to={['subscriptions', id]}>Listen for a test event</ButtonLink>
    </p>
  </Panel>
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
    <p class="muted">The secret that signs the starts is shown once, when the trigger is attached.</p>
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
      {trigger.caveat !== null && <p class="note">{trigger.caveat}</p>}
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
