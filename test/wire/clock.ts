/** A clock that moves only when a test moves it. */
export const fakeClock = () => {
  let time = 1000
  type Sleeper = { at: number; wake: () => void }
  let sleepers: Sleeper[] = []
  const settle = async () => {
    for (let turn = 0; turn < 30; turn += 1) await Promise.resolve()
  }
  return {
    now: () => 1_800_000_000_000 + time,
    monotonic: () => time,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const sleeper: Sleeper = { at: time + ms, wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener(
          'abort',
          () => {
            sleepers = sleepers.filter((other) => other !== sleeper)
            reject(new Error('aborted'))
          },
          { once: true },
        )
      }),
    settle,
    /** Time goes on, but nobody has been woken yet. */
    jump(ms: number) {
      time += ms
    },
    /** Moves on, waking everybody in order, until `ms` later. */
    async pass(ms: number) {
      await settle()
      const end = time + ms
      for (;;) {
        const next = sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        time = Math.max(time, next.at)
        sleepers = sleepers.filter((other) => other !== next)
        next.wake()
        await settle()
      }
      time = end
      await settle()
    },
  }
}
