import { z } from '#kit'

/** What a score adds to a record. */
export const scoreFields = () => ({
  signalScore: z.number().optional().meta({
    description: 'Share of the known signals that are active now, 0 to 1, as the provider counts them.',
  }),
  signalTypes: z
    .array(z.string())
    .optional()
    .meta({ description: 'Signals that are active now, as the provider names them.' }),
})
export const scoreNames = ['results.record.signalScore', 'results.record.signalTypes']
