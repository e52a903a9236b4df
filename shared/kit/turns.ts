/**
 * Spreads work over turns of the event loop: what comes is begun at once, but no more than `perTurn` in one turn; the
 * rest follows in order, so many in each later turn. Requests or answers that arrive together would otherwise keep
 * everything else waiting until the last of them was done.
 */
export const createTurns = <Parameters extends unknown[]>(perTurn: number, work: (...each: Parameters) => void) => {
  const waiting: Parameters[] = []
  let count = 0
  let isPlanned = false

  const next = () => {
    count = 0
    isPlanned = waiting.length > 0
    // First, so that work that throws does not leave the rest behind.
    if (isPlanned) setImmediate(next)
    while (count < perTurn && waiting.length > 0) {
      count += 1
      work(...waiting.shift()!)
    }
  }

  return (...each: Parameters): void => {
    if (!isPlanned) setImmediate(next)
    isPlanned = true
    if (count >= perTurn || waiting.length > 0) return void waiting.push(each)
    count += 1
    work(...each)
  }
}
