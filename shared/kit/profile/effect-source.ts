import * as z from 'zod'

export const effectSource = () =>
  z.string().min(1).max(500).describe('Page of the provider that says so, where the effect is lower than the method.')
