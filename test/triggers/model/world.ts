import type { Store } from '../../../shared/runtime/ports/index.ts'
import type { Triggers } from '../../../shared/runtime/triggers/index.ts'
import { me, openTriggerWorld, ourApp, someoneElse, subscribe, tenant } from '../world.ts'
import type { TriggerWorld } from '../world.ts'
import type { Row } from './board.ts'
import { isTrouble } from './commands.ts'
import type { Command, Mode } from './commands.ts'
import { createLife, lockedWhile } from './life.ts'
import { documented } from './scenes.ts'
import type { Scene, Watched } from './scenes.ts'

export type Call = { key: string; subscription: string; event: string; answered: number | undefined }
/** Something an action of a kind should start. */
export type Watch = { subscription: string; startMark: number } & Pick<
  Watched,
  'delivery' | 'boards' | 'wants' | 'reads'
>
/** Breaks the store or the provider's history on purpose; `tick` when time passes, `die` when the process dies. */
export type Bug = {
  name: string
  store?(
    store: Store,
    world: { now(): number; onTick(run: () => Promise<void>): void; onDeath(run: () => void): void },
  ): Store
  page?: number
}

export type World = Awaited<ReturnType<typeof openWorld>>

const minute = 60_000
export const openWorld = async (bug?: Bug, scene: Scene = documented) => {
  const runtime: TriggerWorld = await openTriggerWorld(bug?.page === undefined ? {} : { page: bug.page })
  const { board, clock } = runtime
  const state = {
    locked: false,
    mode: 'ok' as Mode,
    kills: 0,
    isDown: false,
    jumped: 0,
    leasesLost: 0,
    token: 1,
    isMute: false,
    firstTrouble: Infinity,
    downAt: 0,
    jumpedUnseen: 0,
  }
  const calls: Call[] = []
  const acked: { event: string }[] = []
  const dropped = new Set<string>()
  const slow: { dueAt: number; go(): void }[] = []
  const problems: string[] = []
  /** Absences that a clock set back in them hides: they look like short ones. */
  const hidden: { from: number; to: number }[] = []
  /** Boards that the account could not see for a while. */
  const outOfSight = new Set<string>()
  let rounds = 0
  let life = createLife()
  let onTick: (() => Promise<void>)[] = []
  let onDeath: (() => void)[] = []

  const { answer } = board
  board.answer = async (request) => (state.isMute ? { status: 503, body: 'unavailable' } : answer(request))

  const boards = ['First', 'Second'].map((name) => board.addBoard(name))
  const [matching, elsewhere] = [board.addList('Ideas'), board.addList('Done')]
  const person = { member: someoneElse }
  const cards = boards.map((id) => ({
    still: board.addCard(id, matching, 'Still', person).data.card.id as string,
    apart: board.addCard(id, elsewhere, 'Apart', person).data.card.id as string,
    moving: board.addCard(id, matching, 'Moving', person).data.card.id as string,
  }))

  const locked = lockedWhile(() => state.locked)

  const boot = () => {
    life = createLife()
    const mine = life
    onTick = []
    onDeath = []
    const buggy = (store: Store) =>
      bug?.store?.(store, { now: clock.now, onTick: (run) => onTick.push(run), onDeath: (run) => onDeath.push(run) }) ??
      store
    const triggers = runtime.restart((store) => mine.fence(locked(buggy(store))))
    const { receive } = triggers
    // A delivery that the process dies over is never answered.
    triggers.receive = async (delivery) => {
      const receipt = await mine.during(receive(delivery))
      if (!receipt) return { status: 0 }
      if (receipt.status === 200 && delivery.method === 'POST') noteAcked(delivery)
      return receipt
    }
    return triggers
  }
  const noteAcked = ({ hookId, body }: Parameters<Triggers['receive']>[0]) => {
    const event = (JSON.parse(Buffer.from(body).toString()) as Row)['action'].id as string
    if (wantedHooks.has(hookId)) acked.push({ event })
  }
  const wantedHooks = new Set<string>()

  runtime.agent.answer = (request) => {
    const { data } = JSON.parse(request.body) as {
      data: { start: string; subscription: string; event: unknown; id: string }
    }
    const call: Call = { key: data.start, subscription: data.subscription, event: data.id, answered: undefined }
    calls.push(call)
    const say = (status: number, headers: Record<string, string> = {}) => {
      call.answered = status
      return { status, headers, message: '' }
    }
    if (state.mode === 'slow') {
      return new Promise((resolve) => {
        slow.push({ dueAt: clock.truth() + 90_000, go: () => resolve(say(200)) })
      })
    }
    if (state.mode === 'fails') return say(500)
    if (state.mode === 'busy') return say(429, { 'retry-after': '30' })
    return say(state.mode === 'known' ? 409 : 200)
  }

  boot()
  // A second process calls agents too, so that what one holds must be kept from the other.
  const peer = runtime.beside((store) =>
    locked(bug?.store?.(store, { now: clock.now, onTick: () => {}, onDeath: () => {} }) ?? store),
  )
  const watches: Watch[] = []
  clock.advance(minute)
  const { watched, act: play } = scene({ board, boards, matching, elsewhere, cards })
  for (const watchedTrigger of watched) {
    const { id, startsFrom } = await subscribe(
      runtime,
      watchedTrigger.trigger,
      watchedTrigger.config,
      watchedTrigger.delivery ? { options: { delivery: watchedTrigger.delivery } } : {},
    )
    watches.push({ ...watchedTrigger, subscription: id, startMark: Date.parse(startsFrom) })
  }
  for (const { id } of await runtime.store.hooks.all()) wantedHooks.add(id)
  await runtime.triggers.ticks.alive()

  const attempt = async (work: () => Promise<unknown>) => {
    if (!life.isDead()) await life.during(work().catch(() => undefined))
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

  /** One round of the background work of a process that is up. */
  const round = async () => {
    for (const run of onTick) await run()
    for (const delayedTask of slow.filter(({ dueAt }) => dueAt <= clock.truth())) {
      slow.splice(slow.indexOf(delayedTask), 1)
      delayedTask.go()
    }
    const { ticks } = runtime.triggers
    for (const work of [
      ticks.heal,
      ticks.accounts,
      ticks.upkeep,
      ticks.hooks,
      ticks.scans,
      ticks.aside,
      ticks.alive,
      ticks.pending,
    ])
      await attempt(work)
    if ((await runtime.store.timestamps.get('alive by the clock')) === clock.now()) state.jumpedUnseen = 0
    rounds += 1
    const both = [() => attempt(ticks.dispatchOnce), () => peer.ticks.dispatchOnce().catch(() => undefined)]
    // Now the one, now the other is the first to ask for what is due.
    for (const dispatch of rounds % 2 === 0 ? both : both.toReversed()) {
      await dispatch()
      await turn()
    }
    noteDeath()
  }
  const noteDeath = () => {
    if (!life.isDead() || state.isDown) return
    state.isDown = true
    state.kills += 1
    state.downAt = clock.truth()
    runtime.up.isUp = false
    for (const run of onDeath) run()
  }

  const wait = async (ms: number) => {
    const end = clock.truth() + ms
    while (clock.truth() < end) {
      const most = slow.length > 0 ? 15_000 : 5 * minute
      const nextDelivery = Math.max(1, board.nextDueAt() - clock.truth())
      clock.advance(Math.max(1, Math.min(end - clock.truth(), most, nextDelivery)))
      await board.pump()
      noteDeath()
      await round()
    }
  }

  /** Every event that was acknowledged is there. Looked at before anything is listed again. */
  const checkAcked = async () => {
    for (const { event } of acked.splice(0)) {
      if (!(await runtime.store.events.get(tenant, 'con_1', event)))
        problems.push(`I2: ${event} was acknowledged and is not in the inbox`)
    }
  }

  const restart = async () => {
    if (!state.isDown) return
    await checkAcked()
    // It was last known to be there some minutes before, and less than four minutes count as none.
    const seemsMs = clock.truth() - state.downAt + state.jumpedUnseen
    if (state.jumpedUnseen < 0 && Math.abs(seemsMs) < 10 * minute)
      hidden.push({ from: state.downAt - 5 * minute, to: clock.truth() })
    boot()
    state.isDown = false
    runtime.up.isUp = true
    await attempt(runtime.triggers.ticks.returnFrom)
    noteDeath()
  }

  const reconnect = async () => {
    state.token += 1
    const token = `token-${state.token}`
    board.tokens.clear()
    board.tokens.set(token, me)
    await runtime.store.connections.patch(tenant, 'con_1', {
      state: 'connected',
      stateReason: null,
      secrets: runtime.vault.seal({ tenant, owner: 'con_1' }, { key: 'app-key', token }),
    })
    runtime.openConnections.forget(tenant)
    await attempt(() => runtime.triggers.connectionChanged(tenant, 'con_1'))
  }

  const act = (kind: Extract<Command, { do: 'act' }>['kind'], n: number) => {
    const on = cards[n]!
    if (kind !== 'own comment') return play(kind, n)
    if (life.isDead()) return
    const runId = `run-${board.newId()}`
    runtime.own.began(tenant, runId, null)
    const action = board.comment(on.still, 'Ours', {
      member: me,
      app: ourApp,
      mark: runtime.own.correlationIdOf(runId),
    })
    runtime.own.wrote({
      tenant,
      integration: 'work-board',
      method: 'POST',
      connection: 'con_1',
      runId,
      step: 'add-comment-to-card',
      startId: null,
      path: `/1/cards/${on.still}/actions/comments`,
      body: { text: 'Ours' },
      reply: { id: action.id },
    })
  }

  const hookOn = (n: number) => [...board.hooks.values()].find(({ idModel }) => idModel === boards[n])
  const pick = (at: number) => board.deliveries[at % Math.max(1, board.deliveries.length)]

  const forge = async () => {
    const hook = hookOn(0)
    if (!hook || life.isDead()) return
    const action = {
      id: board.newId(),
      type: 'createCard',
      date: new Date(clock.truth()).toISOString(),
      idMemberCreator: me,
      data: { board: { id: boards[0] }, card: { id: 'f'.repeat(24), name: 'Forged' } },
    }
    const [, , , integration, hookId] = hook.callbackURL.split('/')
    const { status } = await runtime.triggers.receive({
      integration: integration!,
      hookId: hookId!,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-trello-webhook': 'A'.repeat(27) + '=' },
      body: Buffer.from(JSON.stringify({ action })),
    })
    if (status === 200) problems.push('a forged delivery was taken')
  }

  const run = async (command: Command): Promise<void> => {
    // Things happen a little after one another.
    clock.advance(7)
    if (isTrouble(command)) state.firstTrouble = Math.min(state.firstTrouble, clock.now())
    switch (command.do) {
      case 'act':
        act(command.kind, command.board)
        break
      case 'burst':
        for (let n = 0; n < command.count; n += 1) act('card', command.board)
        break
      case 'deliver':
        await board.pump((due) => due.slice(0, command.count))
        break
      case 'reorder':
        await board.pump((due) => due.toReversed())
        break
      case 'drop': {
        const delivery = pick(command.at)
        if (delivery) {
          dropped.add(delivery.action['id'] as string)
          board.deliveries.splice(board.deliveries.indexOf(delivery), 1)
        }
        break
      }
      case 'late': {
        const delivery = pick(command.at)
        if (delivery) delivery.dueAt = Math.max(delivery.dueAt, clock.truth() + 30_000)
        break
      }
      case 'duplicate': {
        const delivery = pick(command.at)
        for (let n = 0; delivery && n < command.copies; n += 1) await board.repeat(delivery)
        break
      }
      case 'forge':
        await forge()
        break
      case 'wait':
        await wait(command.ms)
        break
      case 'kill':
        life.dieAfter(command.after)
        break
      case 'restart':
        await restart()
        break
      case 'revoke':
        board.tokens.clear()
        break
      case 'reconnect':
        await reconnect()
        break
      case 'lock':
      case 'unlock':
        state.locked = command.do === 'lock'
        // It cannot be renewed, nor can what the agent said be written down in its time.
        if (state.locked) state.leasesLost += 1
        break
      case 'mute':
      case 'unmute':
        state.isMute = command.do === 'mute'
        break
      case 'disableHook': {
        const hook = hookOn(command.board)
        if (hook) hook.active = false
        break
      }
      case 'deleteHook': {
        const hook = hookOn(command.board)
        if (hook) board.hooks.delete(hook.id)
        break
      }
      case 'close':
      case 'reopen':
        board.close(boards[command.board]!, command.do === 'close', person)
        break
      case 'hide':
      case 'show':
        board.boards.get(boards[command.board]!)!.hidden = command.do === 'hide'
        if (command.do === 'hide') outOfSight.add(boards[command.board]!)
        break
      case 'trim':
        board.trim(boards[command.board]!, 3)
        break
      case 'jump':
        clock.jump(command.ms)
        state.jumped += Math.abs(command.ms)
        state.jumpedUnseen += command.ms
        // For the other process every lease is over then.
        if (command.ms > 0) state.leasesLost += 1
        break
      case 'agent':
        state.mode = command.mode
        break
    }
    noteDeath()
  }

  /** Everything works again, for as long as it takes until nothing is left to be done. */
  const calm = async () => {
    state.locked = false
    state.isMute = false
    state.mode = 'ok'
    for (const boardRow of board.boards.values()) boardRow.hidden = false
    for (const id of boards) if (board.boards.get(id)!.closed) board.close(id, false, person)
    if (life.isDead()) await restart()
    life.dieAfter(Infinity)
    if (board.tokens.size === 0) await reconnect()
    for (let n = 0; n < 6; n += 1) await wait(6 * minute)
    for (let n = 0; n < 60; n += 1) {
      const dueAt = await runtime.store.starts.nextDueAt()
      const { pendingEvents } = await runtime.store.load()
      if (dueAt === undefined && pendingEvents === 0 && board.deliveries.length === 0) break
      await wait(Math.max(minute, Math.min(12 * 60 * minute, (dueAt ?? 0) - clock.now() + 1000)))
    }
    await checkAcked()
  }

  return {
    runtime,
    board,
    boards,
    watches,
    calls,
    dropped,
    hidden,
    outOfSight,
    state,
    problems,
    run,
    calm,
    close: () => runtime.close(),
  }
}
