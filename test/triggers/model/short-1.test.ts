import { playShort } from './short.ts'

playShort(1)
