/** The trigger runtime and a model provider of signals, and what goes wrong between them. */
import { isReceipt, signedHeaders } from '../../support/signal-deliveries.ts'
import { connectionRow, openTriggerWorld, publicUrl, start0, tenant } from '../world.ts'
import type { Bug } from './world.ts'
import { createLife, lockedWhile } from './life.ts'
import { entityCount } from './signal-commands.ts'
import type { AgentMode, SignalCommand } from './signal-commands.ts'
import { createVendor } from './vendor.ts'
import type { VendorSignal } from './vendor.ts'

const minute = 60_000
const integration = 'contact-data'
export const connection = 'con_2'
const budgetId = 'bud_1'
const enough = 1e6

const entities = Array.from({ length: entityCount }, (_, n) => ({
  entityType: n % 2 === 0 ? 'contact' : 'company',
  entityId: String(1000 + n),
  types: n % 2 === 0 ? ['promotion', 'companyChange'] : ['riskNews', 'surgeInHiring'],
}))
const people = entities.filter(({ entityType }) => entityType === 'contact').map(({ entityId }) => entityId)
const companies = entities.filter(({ entityType }) => entityType === 'company').map(({ entityId }) => entityId)
/** What is subscribed to: the same person by two, of which one wants signals of one type only. */
const wanted = [
  { trigger: 'contact-signal', config: { people } },
  { trigger: 'contact-signal', config: { people: people.slice(0, 1), signals: ['companyChange'] } },
  { trigger: 'company-signal', config: { companies } },
]
export const modelOf = ({ entityType, entityId }: Pick<VendorSignal, 'entityType' | 'entityId'>) =>
  `${entityType === 'contact' ? 'person' : 'company'}:${entityId}`

export type SignalCall = { key: string; subscription: string; event: string }
export type SignalWatch = { subscription: string; wants(signal: VendorSignal): boolean }

export const openSignalWorld = async (bug?: Bug) => {
  /** Ids of people who are on the suppression list. */
  const suppressed = new Set<string>()
  const names = (value: unknown) => [...suppressed].some((id) => JSON.stringify(value).includes(id))
  const runtime = await openTriggerWorld({ suppressed: async (_, values) => values.map(names) })
  const { clock, store, vault } = runtime
  const state = { locked: false, isMute: false, isDown: false, mode: 'ok' as AgentMode }
  const calls: SignalCall[] = []
  const problems: string[] = []
  /** Signals about people who were suppressed when they happened. */
  const hidden = new Set<string>()
  let life = createLife()
  let onTick: (() => Promise<void>)[] = []
  let onDeath: (() => void)[] = []

  const vendor = createVendor(clock.now, async (url, headers, body) => {
    if (state.isDown) return undefined
    const hookId = url.split('/').at(-1)!
    const delivery = { integration, hookId, method: 'POST', headers, body: Buffer.from(body) }
    const receipt = await life.during(runtime.triggers.receive(delivery))
    return receipt && { status: receipt.status, contentType: receipt.contentType ?? '', body: receipt.body ?? '' }
  })
  runtime.board.answer = async (request) =>
    state.isMute ? { status: 503, body: 'unavailable' } : (vendor.answer(request as never) as never)
  await store.connections.add({
    ...connectionRow(vault),
    id: connection,
    integration,
    type: 'api-key',
    name: 'Account',
    profile: 'lusha-v3',
    secrets: vault.seal({ tenant, owner: connection }, { apiKey: 'key-1' }),
  })

  runtime.agent.answer = (request) => {
    const { data } = JSON.parse(request.body) as { data: { start: string; subscription: string; id: string } }
    calls.push({ key: data.start, subscription: data.subscription, event: data.id })
    const status = { ok: 200, fails: 500, known: 409, busy: 429 }[state.mode]
    return { status, headers: status === 429 ? { 'retry-after': '30' } : {}, message: '' }
  }

  const locked = lockedWhile(() => state.locked)
  const boot = () => {
    life = createLife()
    onTick = []
    onDeath = []
    const mine = life
    const broken: NonNullable<Bug['store']> = bug?.store ?? ((plain) => plain)
    const world = {
      now: clock.now,
      onTick: (run: () => Promise<void>) => void onTick.push(run),
      onDeath: (run: () => void) => void onDeath.push(run),
    }
    runtime.restart((plain) => mine.fence(locked(broken(plain, world))))
  }
  boot()
  clock.advance(minute)

  const setBudget = async (credits: number) =>
    store.budgets.put({
      tenant,
      id: budgetId,
      scope: 'connection',
      subject: connection,
      integration: null,
      credits,
      period: 'total',
      timeZone: 'UTC',
      warnAt: null,
      createdAt: start0,
      updatedAt: clock.now(),
    })
  await setBudget(enough)
  const watches: SignalWatch[] = []
  for (const { trigger, config } of wanted) {
    const { id } = await runtime.triggers.subscriptions.create(
      { tenant },
      { integration, trigger, config, connection, agent: { id: 'agent-1', url: 'https://agents.example/start' } },
    )
    const { people: mine = [], companies: ours = [], signals } = config as Record<string, string[] | undefined>
    const wants = ({ entityId, type }: VendorSignal) =>
      [...mine, ...ours].includes(entityId) && (signals === undefined || signals.includes(type))
    watches.push({ subscription: id, wants })
  }
  await runtime.triggers.ticks.alive()

  const noteDeath = () => {
    if (!life.isDead() || state.isDown) return
    state.isDown = true
    for (const run of onDeath) run()
  }
  const attempt = async (work: () => Promise<unknown>) => {
    // What fails is done again in the next round, as in a process.
    if (!life.isDead()) await life.during(work().catch(() => undefined))
  }
  const round = async () => {
    for (const run of onTick) await run()
    const { ticks } = runtime.triggers
    for (const work of [ticks.heal, ticks.accounts, ticks.upkeep, ticks.hooks, ticks.aside, ticks.alive, ticks.pending])
      await attempt(work)
    await attempt(ticks.dispatch)
    await attempt(ticks.aside)
    noteDeath()
  }
  const wait = async (ms: number) => {
    const end = clock.now() + ms
    while (clock.now() < end) {
      const next = Math.max(1, vendor.nextDueAt() - clock.now())
      clock.advance(Math.max(1, Math.min(end - clock.now(), 5 * minute, next)))
      await vendor.pump()
      noteDeath()
      await round()
    }
  }
  const restart = async () => {
    noteDeath()
    if (!state.isDown) return
    boot()
    state.isDown = false
    await attempt(runtime.triggers.ticks.returnFrom)
    noteDeath()
  }

  const say = (id: string, entityId: string, type = 'promotion') =>
    JSON.stringify({
      id,
      type,
      entityType: 'contact',
      entityId,
      data: {},
      timestamp: new Date(clock.now()).toISOString(),
      billing: { creditsCharged: 0 },
    })
  const noise = async (kind: Extract<SignalCommand, { do: 'noise' }>['noise']) => {
    const [subscription] = vendor.subscriptions.values()
    const { secret } = vendor.state
    if (!subscription || secret === undefined) return
    const known = kind === 'repeated' ? vendor.signals.findLast(({ isAcknowledged }) => isAcknowledged) : undefined
    const id = known?.id ?? `noise_${clock.now()}`
    const said = say(id, people[0]!, kind === 'unknown' ? 'somethingNew' : 'promotion')
    const body = known ? vendor.bodies.get(id)! : said
    const at = kind === 'stale' ? clock.now() - 10 * minute : clock.now()
    if (kind === 'repeated' && !known) return
    const reply = await vendor.deliver(
      subscription.url,
      signedHeaders(kind === 'forged' ? 'another' : secret, body, at),
      body,
    )
    noteDeath()
    if (reply === undefined || reply.status === 503) return
    // Nothing signed with a new secret is accepted before that has been read.
    const isRight =
      kind === 'forged' || kind === 'stale' ? reply.status === 401 : reply.status === 401 || isReceipt(reply, id)
    if (!isRight) problems.push(`a delivery that is ${kind} was answered ${reply.status} ${reply.body}`)
  }

  const run = async (command: SignalCommand): Promise<void> => {
    clock.advance(7)
    const entity = 'entity' in command ? entities[command.entity]! : undefined
    const subscription = entity && vendor.find(entity.entityType, entity.entityId)
    if (command.do === 'signal') {
      const { id } = vendor.happen(entity!.entityType, entity!.entityId, entity!.types[command.kind]!)
      if (suppressed.has(entity!.entityId)) hidden.add(id)
    } else if (command.do === 'deliver') await vendor.pump()
    else if (command.do === 'reorder') await vendor.pump((due) => due.toReversed())
    else if (command.do === 'unheard' || command.do === 'heard') vendor.state.isUnheard = command.do === 'unheard'
    else if (command.do === 'noise') await noise(command.noise)
    else if (command.do === 'wait') await wait(command.ms)
    else if (command.do === 'kill') life.dieAfter(command.after)
    else if (command.do === 'restart') await restart()
    else if (command.do === 'rotate') vendor.renewSecret()
    else if (command.do === 'lock' || command.do === 'unlock') state.locked = command.do === 'lock'
    else if (command.do === 'mute' || command.do === 'unmute') state.isMute = command.do === 'mute'
    else if (command.do === 'switchOff' && subscription) subscription.isActive = false
    else if (command.do === 'lose' && subscription) vendor.subscriptions.delete(subscription.id)
    else if (command.do === 'suppress' && entity!.entityType === 'contact') suppressed.add(entity!.entityId)
    else if (command.do === 'agent') state.mode = command.mode
    else if (command.do === 'budget')
      await setBudget(vendor.signals.filter(({ isAcknowledged }) => isAcknowledged).length + command.left)
    noteDeath()
  }

  /** Everything works again, for as long as it takes until nothing is left to be done. */
  const calm = async () => {
    Object.assign(state, { locked: false, isMute: false, mode: 'ok' })
    vendor.state.isUnheard = false
    await restart()
    life.dieAfter(Infinity)
    await setBudget(0)
    for (let n = 0; n < 3; n += 1) await wait(6 * minute)
    const delivering = [...vendor.subscriptions.values()].filter(({ isActive }) => isActive)
    if (delivering.length > 0) problems.push(`${delivering.length} subscriptions deliver, and the budget is used up`)
    await setBudget(enough)
    for (let n = 0; n < 4; n += 1) await wait(6 * minute)
    for (let n = 0; n < 60; n += 1) {
      const dueAt = await store.starts.nextDueAt()
      if (dueAt === undefined && (await store.load()).pendingEvents === 0 && vendor.queue.length === 0) break
      await wait(Math.max(minute, Math.min(12 * 60 * minute, (dueAt ?? 0) - clock.now() + 1000)))
    }
  }

  return {
    runtime,
    vendor,
    entities,
    watches,
    calls,
    problems,
    suppressed,
    hidden,
    run,
    calm,
    close: () => runtime.close(),
  }
}
export type SignalWorld = Awaited<ReturnType<typeof openSignalWorld>>
export const address = `${publicUrl}/hooks/${integration}/`
