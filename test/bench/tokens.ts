import { measureTokens } from '../agents/measure.ts'
import { report } from './support.ts'

report('tokens', await measureTokens())
