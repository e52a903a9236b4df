import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { companyId, contactId } from '../../shared/sandbox/contact/lusha/find.ts'
import { callable, clientOf, companies } from '../sandbox/lusha-client.ts'
import { signedHeaders } from '../support/signal-deliveries.ts'
import { kindsOf, marker } from './story.ts'
import type { CanaryWorld } from './world.ts'

const integration = 'contact-data'
const name = `Signals ${marker}`
const [watched, second, other] = callable.filter(({ workEmail }) => workEmail)
const company = companyId(companies[0]!)
const person = contactId(watched!)

const until = async (holds: () => boolean | Promise<boolean>) => {
  for (let n = 0; n < 300 && !(await holds()); n += 1) await wait(100)
}

const faults = ['200 JSON', '400 JSON', '404 HTML', '409']

/** Answers that hold the key in every form, and the secret, which the provider was never sent, as it is. */
const givingBack = (apiKey: string, secret: string) => [
  ...kindsOf([apiKey]).flatMap(({ name: kind, fault }) => (faults.includes(kind) ? [fault.answer!] : [])),
  ...[200, 409].map((status) => ({
    status,
    body: { secret, message: `The secret is ${secret}.`, errors: [secret] },
    contentType: 'application/json',
    headers: { 'x-secret': secret },
  })),
]

/**
 * Signals start an agent, at a provider that gives back the key and the secret of its account, and beside deliveries
 * that name the secret where it does not belong.
 */
export const receiveSignals = async (world: CanaryWorld) => {
  const { ask, agent, secrets, signals } = world
  const { get } = clientOf(() => signals)
  const apiKey = signals.credentials.apiKey
  const { json: account } = await ask('POST /v1/connections', {
    body: { integration, type: 'api-key', name, profile: 'lusha-v3', secrets: { apiKey } },
  })
  const watch = (trigger: string, config: object) =>
    ask('POST /v1/subscriptions', {
      body: {
        integration,
        trigger,
        connection: name,
        config,
        agent: { id: trigger, url: `${agent.origin}/${trigger}` },
      },
      shows: (json) => [json.agent?.secret ?? ''],
    })
  const made = [
    await watch('contact-signal', { people: [person, contactId(second!)] }),
    await watch('company-signal', { companies: [company] }),
  ]
  for (const { json } of made) secrets.set(`agent secret of ${json.trigger}`, json.agent.secret)
  const secret = (await get('/api/account/secret')).body.secret as string
  secrets.set('secret that signs signals', secret)

  // What a signal says about somebody who is suppressed is kept nowhere; that it was charged is.
  const suppressed = contactId(second!)
  const currentTitle = `Head of ${randomBytes(24).toString('hex')}`
  secrets.set('what a signal says about who is suppressed', currentTitle)
  await ask('POST /v1/suppressions', { body: { entries: [{ recordId: suppressed }] } })
  const data = { personId: Number(suppressed), currentTitle }
  signals.tell('signal', { entityType: 'contact', entityId: suppressed, type: 'promotion', data })
  signals.tell('signal', { entityType: 'contact', entityId: person, type: 'promotion' })
  signals.tell('signal', { entityType: 'company', entityId: company, type: 'riskNews' })
  const started = () => new Set(agent.seen.map(({ url }) => url).filter((url) => /signal/.test(url ?? '')))
  const charged = async () => {
    const { json } = await ask('GET /v1/ledger', { query: `?kind=settled&connection=${account.id}` })
    return json.items.length as number
  }
  await until(async () => started().size === 2 && (await charged()) === 3)

  const { json: hooks } = await ask('GET /v1/hooks')
  const hook = hooks.items.find(({ integration: of }: { integration: string }) => of === integration)
  const statuses: number[] = []
  const deliver = async (raw: string, headers: Record<string, string>) => {
    const params = { integration, hookId: new URL(hook.callbackUrl).pathname.split('/').at(-1)! }
    statuses.push((await ask('POST /hooks/:integration/:hookId', { params, raw, token: '', headers })).status)
  }
  const raw = JSON.stringify({
    id: 'forged',
    type: 'promotion',
    entityType: 'contact',
    entityId: person,
    data: { secret },
  })
  await deliver(raw, { 'x-lusha-signature': secret, 'x-lusha-timestamp': secret })
  await deliver(raw, signedHeaders(apiKey, raw, Date.now()))
  await deliver(`${raw}${secret}`, signedHeaders(secret, raw, Date.now()))

  const people = { people: [contactId(other!)] }
  for (const { contentType, headers, ...answer } of givingBack(apiKey, secret)) {
    signals.control.inject({
      times: 10,
      answer: { ...answer, headers: { ...headers, ...(contentType ? { 'content-type': contentType } : {}) } },
    })
    await ask('POST /v1/subscriptions', {
      body: {
        integration,
        trigger: 'contact-signal',
        connection: name,
        config: people,
        agent: { url: `${agent.origin}/refused` },
      },
      shows: (json) => [json.agent?.secret ?? ''],
    })
    signals.control.clearFaults()
  }
  for (const { json } of made) await ask('DELETE /v1/subscriptions/:id', { params: { id: json.id } })
  return {
    made: made.map(({ status, json }) => [status, json.state]),
    started: [...started()].toSorted(),
    statuses,
    charged: await charged(),
  }
}
