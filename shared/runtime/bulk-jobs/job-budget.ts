/**
 * Tracks what a job may still spend, in credits. Before it is sent, a row takes the most it may cost; afterwards it
 * returns what it did not use. `max` null: no limit.
 */
export const createJobBudget = (max: number | null, spent: number) => {
  let taken = spent
  let open = 0
  let wake: (() => void)[] = []

  return {
    /** Resolves to true once there is room, to false when there will be none. */
    async take(most: number): Promise<boolean> {
      for (;;) {
        if (max === null || taken + most <= max) {
          taken += most
          open += 1
          return true
        }
        if (open === 0) return false
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
    settle(most: number, charged: number): void {
      taken += charged - most
      open -= 1
      const waiting = wake
      wake = []
      for (const go of waiting) go()
    },
  }
}
export type JobBudget = ReturnType<typeof createJobBudget>
