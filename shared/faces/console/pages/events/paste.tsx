import { useState } from 'preact/hooks'
import type { DeliveryPreview } from '../../../../api/resources/delivery-preview.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { manifests, pathTo, post, triggerTitle, useConnections } from '../../api/index.ts'
import {
  Badge,
  badgeOf,
  ChoiceField,
  Empty,
  Facts,
  Page,
  Sentence,
  SubmitForm,
  TextField,
  Time,
  useAddress,
} from '../../ui/index.ts'
import { AgentLink } from '../agents/words.tsx'
import { useSubscriptions } from '../triggers/use-subscriptions.ts'
import { FieldChanges } from './field-changes.tsx'
import { whySentence } from './why.tsx'
import { causedByUsWord, eventTitle } from './words.tsx'

type Event = DeliveryPreview['events'][number]
type Verdict = Event['subscriptions'][number]

/** What an attached trigger does with an event, by `starts`: the first stands first. */
const outcomes = {
  true: { title: 'would start', tone: 'good' },
  unknown: { title: 'not known', tone: 'warn' },
  false: { title: 'would not start', tone: 'neutral' },
} as const
const OutcomeBadge = badgeOf(outcomes)
const placeOf = ({ starts }: Verdict) => Object.keys(outcomes).indexOf(`${starts}`)

const VerdictItem = ({
  integration,
  verdict,
  subscription,
}: {
  integration: string
  verdict: Verdict
  subscription: Subscription | undefined
}) => (
  <li>
    <p class="row">
      <OutcomeBadge state={`${verdict.starts}`} />
      <a href={pathTo('subscriptions', verdict.subscription)}>
        <Sentence
          of={subscription?.summary ?? null}
          otherwise={triggerTitle({ integration, trigger: verdict.trigger })}
        />
      </a>
      {subscription && <AgentLink agent={subscription.agent} />}
    </p>
    {verdict.reason !== null && (
      <p>
        {subscription && verdict.starts === false && verdict.why !== 'started'
          ? whySentence(verdict, subscription)
          : verdict.reason}
      </p>
    )}
    {verdict.why === 'started' && verdict.start !== null && (
      <p>
        <a href={pathTo('starts', verdict.start)}>View its start</a>
      </p>
    )}
  </li>
)

const nameOfRef = (ref: Event['subject']) => ref && (ref.name ?? ref.kind)

type Find = (id: string) => Subscription | undefined

const Decoded = ({ integration, event, find }: { integration: string; event: Event; find: Find }) => (
  <section class="panel">
    <h2>
      {event.summary?.text ?? eventTitle({ integration, type: event.type })}{' '}
      {event.known && <Badge title="Delivering it again would be a repeat">stored already</Badge>}
    </h2>
    <Facts
      facts={[
        ['Happened', <Time at={event.at} />],
        ['What', nameOfRef(event.subject)],
        ['Where', nameOfRef(event.container)],
        ['Caused by us', causedByUsWord(event)],
      ]}
    />
    {event.before && event.after && (
      <details class="details">
        <summary>Details</summary>
        <FieldChanges before={event.before} after={event.after} />
      </details>
    )}
    <h3>What it would start</h3>
    {event.subscriptions.length === 0 ? (
      <p>
        Nothing: no trigger is attached to this connection. <a href={pathTo('triggers')}>Attach one</a>.
      </p>
    ) : (
      <ul class="would-fire">
        {event.subscriptions
          .toSorted((a, b) => placeOf(a) - placeOf(b))
          .map((verdict) => (
            <VerdictItem
              key={verdict.subscription}
              integration={integration}
              verdict={verdict}
              subscription={find(verdict.subscription)}
            />
          ))}
      </ul>
    )}
  </section>
)

const Result = ({ integration, preview }: { integration: string; preview: DeliveryPreview }) => {
  const { find } = useSubscriptions({ connection: preview.connection })
  return (
    <div>
      {preview.undecodable !== null && (
        <p class="problem" role="alert">
          It cannot be decoded: {preview.undecodable}
        </p>
      )}
      {preview.ignored !== null && <p class="panel">It is left out on purpose: {preview.ignored}</p>}
      {preview.events.length === 0 && preview.undecodable === null && preview.ignored === null && (
        <p class="panel">It contains no event.</p>
      )}
      {preview.events.map((event) => (
        <Decoded key={event.id} integration={integration} event={event} find={find} />
      ))}
      {preview.more && <p>There are more events or subscriptions than are shown.</p>}
    </div>
  )
}

/** Parses `name: value` lines. */
const readHeaders = (lines: string) =>
  Object.fromEntries(
    lines.split('\n').flatMap((line) => {
      const at = line.indexOf(':')
      return at < 1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]]
    }),
  )

const DeliveryForm = ({ send }: { send(integration: string, body: object): Promise<void> }) => {
  const { query, change } = useAddress()
  const all = manifests.value.filter(({ triggers }) => triggers.length > 0)
  const integration = query['integration'] ?? all[0]?.id ?? ''
  const connection = query['connection'] ?? ''
  const { choices } = useConnections(integration)
  const [body, setBody] = useState('')
  const [headers, setHeaders] = useState('')
  const [model, setModel] = useState('')
  const submit = () => {
    const parsedHeaders = readHeaders(headers)
    return send(integration, {
      integration,
      connection: connection || undefined,
      body,
      headers: Object.keys(parsedHeaders).length > 0 ? parsedHeaders : undefined,
      model: model.trim() || undefined,
    })
  }
  return (
    <SubmitForm class="panel" submit="Show what it would start" act={submit}>
      {() => (
        <>
          <div class="filters">
            <ChoiceField
              label="Integration"
              value={integration}
              change={(id) => change({ integration: id, connection: undefined })}
              options={all.map(({ id, title }) => [id, title])}
            />
            <ChoiceField
              label="Connection"
              value={connection}
              change={(id) => change({ connection: id })}
              options={[['', 'Default connection'], ...choices]}
            />
          </div>
          <TextField
            label="Body of the delivery (JSON)"
            rows={10}
            required
            spellcheck={false}
            value={body}
            change={setBody}
          />
          <details>
            <summary>Headers and what the hook watches</summary>
            <TextField
              label="Headers, one on each line"
              rows={3}
              spellcheck={false}
              value={headers}
              change={setHeaders}
            />
            <TextField label="What the hook watches, as kind:id" spellcheck={false} value={model} change={setModel} />
          </details>
        </>
      )}
    </SubmitForm>
  )
}

const Paste = () => {
  const [shown, setShown] = useState<{ integration: string; preview: DeliveryPreview }>()
  const send = async (integration: string, body: object) => {
    setShown(undefined)
    setShown({ integration, preview: await post<DeliveryPreview>('deliveries/preview', body) })
  }
  if (!manifests.value.some(({ triggers }) => triggers.length > 0))
    return (
      <Page title="Paste a delivery">
        <Empty title="No integration has triggers" />
      </Page>
    )
  return (
    <Page title="Paste a delivery">
      <p>
        Paste what a provider delivered, for example from its log. It is decoded and compared with every trigger;
        nothing is stored or started.
      </p>
      <DeliveryForm send={send} />
      <div role="status">{shown && <Result {...shown} />}</div>
    </Page>
  )
}

export default Paste
