import type { Terminal } from './terminal.ts'

const firstMs = 2_000
const everyMs = 500

/** Shows how far a long piece of work is, on a terminal only; short work shows nothing. `told` takes what the work itself says of it. */
export const withProgress = async <T>(terminal: Pick<Terminal, 'status'>, work: (told: (done: number, total?: number) => void) => Promise<T>): Promise<T> => {
  const { status } = terminal
  if (!status) return work(() => {})
  let far = ''
  const began = performance.now()
  const show = () => {
    const ms = performance.now() - began
    if (ms >= firstMs) status(`${Math.round(ms / 1000)} s${far} (Ctrl-C cancels)`)
  }
  const timer = setInterval(show, everyMs)
  try {
    return await work((done, total) => (far = total === undefined ? `, ${done} done` : `, ${done} of ${total}`))
  } finally {
    clearInterval(timer)
    status('')
  }
}
