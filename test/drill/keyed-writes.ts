/** Cards that a caller creates one after the other, each with an idempotency key, whatever happens to the servers. */
import { setTimeout as wait } from 'node:timers/promises'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { ask } from '../nodes/place.ts'

const everyMs = 100

export const startWriting = (origin: string, { control, state }: BoardSandbox) => {
  const idList = control.overview().flatMap(({ lists }) => lists)[0]!.id
  /** Name of the card, which is also the key → its id, where the answer said so. */
  const acknowledged = new Map<string, string>()
  const names: string[] = []
  /** Status and the id of the card, if there is one; 0 when no answer came. */
  const create = async (name: string) => {
    const { status, json } = await ask(origin, '/v1/steps/work-board/create-card/run', {
      body: { input: { idList, name } },
      headers: { 'idempotency-key': name },
      signal: AbortSignal.timeout(30_000),
    }).catch(() => ({ status: 0, json: undefined }))
    return { status, id: json?.output?.id as string | undefined }
  }
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      const name = `write-${names.length}`
      names.push(name)
      const { status, id } = await create(name)
      if (status === 200) acknowledged.set(name, id!)
      await wait(everyMs)
    }
  })()
  return {
    acknowledged,
    /**
     * Ends it, and repeats every call with its key: names whose acknowledged outcome is not the answer, and names of
     * which the board has several cards.
     */
    async judge() {
      isOver = true
      await writing
      const forgotten: string[] = []
      for (const name of names) {
        const { status, id } = await create(name)
        const before = acknowledged.get(name)
        if (before !== undefined && (status !== 200 || id !== before)) forgotten.push(`${name}: ${status}`)
      }
      const count = (name: string) => [...state.cards.values()].filter((card) => card.name === name).length
      return { written: names.length, forgotten, doubled: names.filter((name) => count(name) > 1) }
    },
  }
}
