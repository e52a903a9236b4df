import { z } from '#kit'

// `meta` comes last, because a constraint after it would drop the description.
export const pageSize = () =>
  z.int().min(1).max(100).default(50).meta({ title: 'Limit', description: 'Items per page, 1 to 100.' })
export const cursor = () =>
  z.string().optional().meta({ title: 'Cursor', description: 'The "next" of an earlier answer, to get the rest.' })
