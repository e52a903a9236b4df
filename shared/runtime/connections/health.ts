import type { Failure } from '#kit'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { OpenConnection } from './open-connection.ts'

/** Use of a connection by a run, by loading options, or by work of our own. */
export type ConnectionUse = {
  loaded: LoadedStep
  opened: OpenConnection
  used: { calls: number; lastStatus: number | undefined; proven: boolean }
}

/** Learns from every use whether the connection works. */
export type Health = { worked(use: ConnectionUse): void; refused(use: ConnectionUse, failure: Failure): void }
