import { once, z } from '#kit'
import { manifestShape } from '../manifest.ts'

export const foundSteps = once(() =>
  z.object({ items: z.array(manifestShape().shape.steps.element.extend({ integration: z.string() })) }),
)
