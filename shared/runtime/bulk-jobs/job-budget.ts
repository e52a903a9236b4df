/**
 * What a job may still spend. A row takes the most it may cost before it is sent, and gives back what it did not. `max`
 * null: there is no limit.
 */
export const createJobBudget = (max: number | null, spent: number) => {
  let taken = spent
  let open = 0
  let wake: (() => void)[] = []

  return {
    /** Resolves true when there is room, false when there will be none. */
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
