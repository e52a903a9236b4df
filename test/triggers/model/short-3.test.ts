import { playShort } from './short.ts'

playShort(3)
