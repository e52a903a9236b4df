/** Thousands of deliveries, genuine ones and others, while the server is killed and a budget is used up. */
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../support/agent-world.ts'
import { randomFrom } from '../support/board-events.ts'
import { makeNoise, noises } from './signals-noise.ts'
import { openPlace, watched } from './signals-place.ts'
import type { Place } from './signals-place.ts'
import type { Passage, Signal } from './signals-road.ts'

export type Storm = { deliveries: number; kills: number; seed: number }
/** A budget whose subscriptions were paused. `margin`: the credits that the server said it keeps for further deliveries. */
export type UsedUp = { credits: number; spent: number; charged: number; margin: number }

const perSecond = 60
const signalShare = 0.7
/** How many signals wait for their answers at once. Near the end of a budget it is one, the real pace of a provider. */
const mostOnTheWay = 8
const nearTheEnd = 2 * watched.length
const enough = 1e6
const patienceMs = 120_000
/** Signals that nobody reports, one after another, before the storm is given up. */
const mostInVain = 2000

/** Kills the server and starts it again, one after the other however often it is asked for. */
const createKiller = (place: Place, random: () => number) => {
  const done = { kills: 0 }
  let up: Promise<unknown> = Promise.resolve()
  let last: Promise<unknown> = Promise.resolve()
  const killOnce = async () => {
    // Sometimes while it is still coming up.
    if (random() < 0.7) await up
    await wait(random() * 300)
    await place.kill()
    done.kills += 1
    await wait(random() * 1000)
    up = place.up()
  }
  return {
    done,
    kill: () => void (last = last.then(killOnce)),
    async settled() {
      await last
      await up
    },
  }
}

/** How many credits each of the budgets on the way has, and that of the rest. */
const budgetsOf = ({ deliveries, kills }: Storm): number[] => {
  const count = Math.max(1, Math.floor(kills / 5))
  const each = (deliveries * signalShare) / (count + 1)
  return [...Array.from({ length: count }, (_, n) => Math.round(each * (n + 1))), enough]
}

type Random = { random(): number; pick<T>(all: readonly T[]): T }
/** What is under way in a storm. `unheard`: the person whose answers the provider does not hear. */
type Traffic = { unheard: { entityId: string }; noise: Record<string, number>; noiseOnTheWay: Set<Promise<void>> }

const passagesOf =
  ({ unheard }: Traffic, random: () => number) =>
  ({ entityId }: Signal): Passage => {
    const share = random()
    if (entityId === unheard.entityId || share < 0.04) return { how: 'unheard' }
    if (share < 0.1) return { how: 'twice' }
    return share < 0.25 ? { how: 'late', ms: 20 + random() * 400 } : { how: 'straight' }
  }

/** Sends what the provider would not send, until it is answered. */
const makeNoises = ({ road }: Place, { noise, noiseOnTheWay }: Traffic, secret: string, { random, pick }: Random) => {
  const send = async (): Promise<void> => {
    const kind = pick(noises)
    const { delivery, isRight } = makeNoise(kind, pick(road.state.recent), secret, Math.floor(random() * 12))
    noise[kind] = (noise[kind] ?? 0) + 1
    while ((await road.send(delivery, isRight)) === undefined) await wait(50)
  }
  const sending: Promise<void> = send().finally(() => noiseOnTheWay.delete(sending))
  noiseOnTheWay.add(sending)
}

/**
 * The provider receives no answer about one person, however often it repeats the delivery, and disables the
 * subscription. Returns its reason.
 */
const disableOne = async (place: Place, { unheard }: Traffic): Promise<string | null> => {
  const { entityType, entityId, types } = watched[0]!
  unheard.entityId = entityId
  if (!place.happen({ entityType, entityId, type: types[0]! })) throw new Error('No subscription reports the signal.')
  const find = async () => (await place.atProvider()).find((row) => row.entityId === entityId)!
  await until('the subscription is disabled', async () => !(await find()).isActive, patienceMs)
  unheard.entityId = ''
  return (await find()).blockReason
}

const countActive = async (place: Place) => (await place.atProvider()).filter(({ isActive }) => isActive).length

/** What is known of a budget once all webhooks say that they are paused for it. */
const readUsedUp = async (place: Place, budget: string, credits: number): Promise<UsedUp> => {
  const margins = async () =>
    (await place.hooks())
      .map(({ stateReason }) => Number(/and (\d+) more deliveries/.exec(stateReason ?? '')?.[1]))
      .filter(Number.isFinite)
  await until('all webhooks are paused', async () => (await margins()).length === watched.length, patienceMs)
  const { spent } = await place.must(`/v1/budgets/${budget}`)
  return { credits, spent, charged: place.charged(), margin: Math.max(...(await margins())) }
}

/** When the server is killed, by the count of deliveries; the kills that follow a budget are not among them. */
const momentsOf = ({ deliveries, kills }: Storm, budgets: number, random: () => number): number[] =>
  // The first one follows the disabled subscription, which is activated again by a server that starts.
  Array.from({ length: kills - budgets }, (_, n) =>
    Math.floor((0.2 + 0.75 * (n === 0 ? 0 : random())) * deliveries),
  ).toSorted((a, b) => a - b)

export const playStorm = async (folder: string, storm: Storm) => {
  const random = randomFrom(storm.seed)
  const chance: Random = { random, pick: (all) => all[Math.floor(random() * all.length)]! }
  const traffic: Traffic = { unheard: { entityId: '' }, noise: {}, noiseOnTheWay: new Set() }
  const place = await openPlace(folder, passagesOf(traffic, random))
  const { road, charged } = place
  const killer = createKiller(place, random)
  const budgets = budgetsOf(storm)
  const usedUp: UsedUp[] = []
  await place.up()
  const budget = await place.attach(budgets[0]!)
  const secret = await place.secret()

  const onTheWay = () => charged() - road.state.acknowledged.size + traffic.noiseOnTheWay.size
  const awaitAnswers = (most: number) => until('deliveries are answered', () => onTheWay() < most, patienceMs)
  const isNearTheEnd = () => budgets[usedUp.length]! - charged() < nearTheEnd
  const room = async () => {
    await awaitAnswers(isNearTheEnd() ? 1 : mostOnTheWay)
    // What the provider has charged and not delivered when a subscription is paused, it delivers no more.
    if (isNearTheEnd()) await killer.settled()
  }
  const happen = (about = chance.pick(watched)) => place.happen({ ...about, type: chance.pick(about.types) })

  /** Raises a budget that is used up; a server that starts activates the subscriptions again. */
  const raise = async (): Promise<void> => {
    await killer.settled()
    await awaitAnswers(1)
    usedUp.push(await readUsedUp(place, budget, budgets[usedUp.length]!))
    await place.must(`/v1/budgets/${budget}`, { method: 'PATCH', body: { credits: budgets[usedUp.length]! } })
    killer.kill()
    await killer.settled()
    await until('all subscriptions are active', async () => (await countActive(place)) === watched.length, patienceMs)
  }

  const moments = momentsOf(storm, budgets.length - 1, random)
  let blockReason: string | null = null
  let inVain = 0
  for (let made = 0; made < storm.deliveries; await wait(1000 / perSecond)) {
    await room()
    while (moments[0]! <= made && !isNearTheEnd()) {
      moments.shift()
      killer.kill()
    }
    if (made === Math.floor(storm.deliveries / 10)) {
      blockReason = await disableOne(place, traffic)
      made += 1
    } else if (road.state.recent.length > 0 && random() > signalShare) {
      makeNoises(place, traffic, secret, chance)
      made += 1
    } else if (happen()) {
      made += 1
      inVain = 0
    } else if ((inVain += 1) > mostInVain) throw new Error('No subscription reports signals any more.')
    else if (usedUp.length < budgets.length - 1 && (await countActive(place)) === 0) await raise()
  }
  await killer.settled()
  await awaitAnswers(1)
  await until('nothing is open', place.isIdle, patienceMs)
  return { place, usedUp, noise: traffic.noise, blockReason, kills: killer.done.kills }
}
