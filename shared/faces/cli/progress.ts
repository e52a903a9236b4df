import type { Terminal } from './terminal.ts'

const firstMs = 2_000
const intervalMs = 500

/** Shows the progress of long work on a terminal; short work shows nothing. The work calls `report`. */
export const withProgress = async <T>(
  terminal: Pick<Terminal, 'status'>,
  work: (report: (done: number, total?: number) => void) => Promise<T>,
): Promise<T> => {
  const { status } = terminal
  if (!status) return work(() => {})
  let progress = ''
  const began = performance.now()
  const show = () => {
    const ms = performance.now() - began
    if (ms >= firstMs) status(`${Math.round(ms / 1000)} s${progress} (Ctrl-C cancels)`)
  }
  const timer = setInterval(show, intervalMs)
  try {
    return await work((done, total) => (progress = total === undefined ? `, ${done} done` : `, ${done} of ${total}`))
  } finally {
    clearInterval(timer)
    status('')
  }
}
