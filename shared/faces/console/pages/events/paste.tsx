import { useId, useState } from 'preact/hooks'
import type { DeliveryPreview } from '../../../../api/resources/delivery-preview.ts'
import { post } from '../../api/client.ts'
import { pathTo } from '../../api/root.ts'
import { manifests } from '../../api/server.ts'
import { useAction } from '../../api/use-api.ts'
import { useAddress } from '../../ui/address.ts'
import { Badge, Button, Facts } from '../../ui/basics.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, ProblemBox } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { FieldChanges } from './field-changes.tsx'
import { useConnections } from './filters.tsx'
import { triggerTitle } from './words.tsx'

type Event = DeliveryPreview['events'][number]
type Verdict = Event['subscriptions'][number]

const tones = { true: 'good', false: 'neutral', unknown: 'warn' } as const
const says = { true: 'would start', false: 'would not start', unknown: 'not known' } as const

const VerdictItem = ({ integration, verdict }: { integration: string; verdict: Verdict }) => (
  <li>
    <p class="row">
      <Badge tone={tones[`${verdict.starts}`]}>{says[`${verdict.starts}`]}</Badge>
      <a href={pathTo('subscriptions', verdict.subscription)}>
        {triggerTitle({ integration, trigger: verdict.trigger })}
      </a>
      {verdict.agent !== null && <span class="muted">agent {verdict.agent}</span>}
    </p>
    {verdict.reason !== null && <p>{verdict.reason}</p>}
    {verdict.fields.length > 0 && (
      <p>
        Config fields that do not match:{' '}
        {verdict.fields.map((field) => (
          <code key={field}>{field} </code>
        ))}
      </p>
    )}
    {verdict.why === 'started' && verdict.start !== null && (
      <p>
        <a href={pathTo('starts', verdict.start)}>View its start</a>
      </p>
    )}
  </li>
)

const order = { true: 0, unknown: 1, false: 2 }

const Decoded = ({ integration, event }: { integration: string; event: Event }) => (
  <section class="panel">
    <h2>
      {event.type} {event.known && <Badge title="Delivering it again would be a repeat">stored already</Badge>}
    </h2>
    <Facts
      facts={[
        ['Happened', <Time at={event.at} />],
        ['Subject', event.subject && `${event.subject.kind} ${event.subject.name ?? event.subject.id}`],
        ['Container', event.container && `${event.container.kind} ${event.container.name ?? event.container.id}`],
        ['Caused by us', event.causedByUs === 'unknown' ? 'not known' : event.causedByUs ? 'yes' : 'no'],
      ]}
    />
    {event.before && event.after && <FieldChanges before={event.before} after={event.after} />}
    <h3>What it would start</h3>
    {event.subscriptions.length === 0 ? (
      <p>
        Nothing: no trigger is attached to this connection. <a href={pathTo('triggers')}>Attach one</a>.
      </p>
    ) : (
      <ul class="would-fire">
        {event.subscriptions
          .toSorted((a, b) => order[`${a.starts}`] - order[`${b.starts}`])
          .map((verdict) => (
            <VerdictItem key={verdict.subscription} integration={integration} verdict={verdict} />
          ))}
      </ul>
    )}
  </section>
)

const Result = ({ integration, preview }: { integration: string; preview: DeliveryPreview }) => (
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
      <Decoded key={event.id} integration={integration} event={event} />
    ))}
    {preview.more && <p>There are more events or subscriptions than are shown.</p>}
  </div>
)

/** Parses `name: value` lines. */
const readHeaders = (lines: string) =>
  Object.fromEntries(
    lines.split('\n').flatMap((line) => {
      const at = line.indexOf(':')
      return at < 1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]]
    }),
  )

const DeliveryForm = ({ send, busy }: { send(body: object): void; busy: boolean }) => {
  const id = useId()
  const { query, change } = useAddress()
  const { items } = useConnections()
  const [body, setBody] = useState('')
  const [headers, setHeaders] = useState('')
  const [model, setModel] = useState('')
  const choices = manifests.value.filter(({ triggers }) => triggers.length > 0)
  const integration = query['integration'] ?? choices[0]?.id ?? ''
  const connection = query['connection']
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const parsedHeaders = readHeaders(headers)
    send({
      integration,
      ...(connection ? { connection } : {}),
      body,
      ...(Object.keys(parsedHeaders).length > 0 ? { headers: parsedHeaders } : {}),
      ...(model.trim() === '' ? {} : { model: model.trim() }),
    })
  }
  return (
    <form class="panel" onSubmit={submit}>
      <div class="list-filters">
        <div>
          <label for={`${id}-integration`}>Integration</label>
          <select
            id={`${id}-integration`}
            value={integration}
            onChange={(event) => change({ integration: event.currentTarget.value, connection: undefined })}
          >
            {choices.map((choice) => (
              <option key={choice.id} value={choice.id}>
                {choice.title}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label for={`${id}-connection`}>Connection</label>
          <select
            id={`${id}-connection`}
            value={connection ?? ''}
            onChange={(event) => change({ connection: event.currentTarget.value || undefined })}
          >
            <option value="">Default connection</option>
            {items
              .filter((item) => item.integration === integration)
              .map((item) => (
                <option key={item.id} value={item.id}>
                  {item.title}
                </option>
              ))}
          </select>
        </div>
      </div>
      <p>
        <label for={`${id}-body`}>Body of the delivery (JSON)</label>
        <textarea
          id={`${id}-body`}
          class="mono"
          rows={10}
          required
          spellcheck={false}
          value={body}
          onInput={(event) => setBody(event.currentTarget.value)}
        />
      </p>
      <details>
        <summary>Headers and what the hook watches</summary>
        <p>
          <label for={`${id}-headers`}>Headers, one on each line</label>
          <textarea
            id={`${id}-headers`}
            class="mono"
            rows={3}
            spellcheck={false}
            value={headers}
            onInput={(event) => setHeaders(event.currentTarget.value)}
          />
        </p>
        <p>
          <label for={`${id}-model`}>What the hook watches, as kind:id</label>
          <input
            id={`${id}-model`}
            type="text"
            spellcheck={false}
            value={model}
            onInput={(event) => setModel(event.currentTarget.value)}
          />
        </p>
      </details>
      <Button type="submit" kind="primary" busy={busy}>
        Show what it would start
      </Button>
    </form>
  )
}

const Paste = () => {
  const [shown, setShown] = useState<{ integration: string; preview: DeliveryPreview }>()
  const { run, busy, problem } = useAction(async (body: object) => {
    setShown(undefined)
    const preview = await post<DeliveryPreview>('deliveries/preview', body)
    setShown({ integration: (body as { integration: string }).integration, preview })
  })
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
      <DeliveryForm busy={busy} send={(body) => void run(body)} />
      <div role="status">
        {problem && <ProblemBox problem={problem} />}
        {shown && <Result {...shown} />}
      </div>
    </Page>
  )
}

export default Paste
