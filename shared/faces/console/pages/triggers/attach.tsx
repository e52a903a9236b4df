import { useRoute } from 'preact-iso/router'
import { useId } from 'preact/hooks'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { pathTo } from '../../api/root.ts'
import { manifestOf, server, triggerOf } from '../../api/server.ts'
import type { Manifest, TriggerManifest } from '../../api/server.ts'
import { ConnectionField } from '../../form/connection.tsx'
import { Form } from '../../form/form.tsx'
import { optionsOf } from '../../form/load.ts'
import { Badge, Button, CopyButton, Icon } from '../../ui/basics.tsx'
import { ShownOnce } from '../../ui/dialog.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, ProblemBox } from '../../ui/states.tsx'
import { TestAgent } from './test-agent.tsx'
import { useAttach } from './use-attach.ts'
import type { AttachState } from './use-attach.ts'
import { badgesOf } from './words.tsx'

/** The agent's signing secret, shown while it is known. */
export const AgentSecret = ({ secret }: { secret: string }) => (
  <>
    <ShownOnce name="Signing secret of the agent" text={secret} />
    <p class="row">
      <CopyButton text={secret} label="Copy the secret" />
      <span class="muted">The agent uses it to verify that a start comes from this server.</span>
    </p>
  </>
)

const CreatedSubscription = ({ made: { id, agent } }: { made: Subscription }) => (
  <section class="panel" aria-label="Attached">
    <h2>The trigger is attached</h2>
    {agent.secret !== undefined && <AgentSecret secret={agent.secret} />}
    <p class="row">
      <a class="button primary" href={pathTo('subscriptions', id)}>
        Listen for a test event
      </a>
    </p>
  </section>
)

type InputProps = { label: string; about: string; error: string | undefined; value: string; set(value: string): void }
const AgentInput = ({ label, about, error, value, set }: InputProps) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={value}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-about`}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <div id={`${id}-about`}>
        {error !== undefined && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
        <p class="field-about">{about}</p>
      </div>
    </div>
  )
}

const AgentForm = ({ state: { agent, setAgent, errors, busy, submit } }: { state: AttachState }) => (
  <form
    class="form"
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      void submit()
    }}
  >
    <AgentInput
      label="Address of the agent"
      value={agent.url}
      error={errors.agent['url']}
      set={(url) => setAgent({ ...agent, url })}
      about={
        server.value?.sandbox?.agent
          ? 'Starts are sent here by POST. The example agent of the sandbox is filled in.'
          : 'Starts are sent here by POST.'
      }
    />
    <TestAgent body={{ url: agent.url.trim() }} disabled={agent.url.trim() === ''} />
    <AgentInput
      label="Id of the agent (optional)"
      value={agent.id}
      error={errors.agent['id']}
      set={(id) => setAgent({ ...agent, id })}
      about="Your own id for it; every start contains it."
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
  const { connection, choose, draft, setDraft, options, setOptions, errors, submit } = state
  const path = `triggers/${encodeURIComponent(manifest.id)}/${encodeURIComponent(trigger.id)}`
  return (
    <section class="panel" aria-label="Settings">
      <ConnectionField
        integration={manifest.id}
        types={trigger.connection?.types}
        value={connection}
        onChange={choose}
      />
      <Form
        layout={trigger.layout}
        draft={draft}
        onChange={setDraft}
        errors={errors.config}
        optionsFor={optionsOf(path, connection)}
        integration={manifest.id}
        onSubmit={submit}
      />
      <details class="tr-options" open={errors.options.length > 0 || undefined}>
        <summary>Options</summary>
        <Form
          layout={trigger.optionsLayout}
          draft={options}
          onChange={setOptions}
          errors={errors.options}
          integration={manifest.id}
          onSubmit={submit}
        />
      </details>
      <h2>Agent</h2>
      <AgentForm state={state} />
    </section>
  )
}

const AttachTrigger = ({ manifest, trigger }: { manifest: Manifest; trigger: TriggerManifest }) => {
  const state = useAttach(manifest.id, trigger)
  return (
    <Page title={trigger.title} actions={<a href={pathTo('triggers')}>All triggers</a>}>
      <p>{trigger.purpose}</p>
      <p class="badges">
        <Icon path={trigger.icon} />
        <span class="muted">{manifest.title}</span>
        {badgesOf(trigger).map(({ text, ...badgeProps }) => (
          <Badge key={text} {...badgeProps}>
            {text}
          </Badge>
        ))}
      </p>
      {trigger.caveat !== null && <p class="note">{trigger.caveat}</p>}
      <div class="columns tr-columns">
        <div>
          {state.problem && <ProblemBox problem={state.problem} connection={state.connection} />}
          {state.made ? (
            <CreatedSubscription made={state.made} />
          ) : (
            <AttachForm manifest={manifest} trigger={trigger} state={state} />
          )}
        </div>
        <section class="panel" aria-label="Sample event">
          <h2>Sample event</h2>
          <p class="muted">What the agent receives as “event”, with made-up data.</p>
          <JsonView value={trigger.sample} name="event" />
        </section>
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
