/**
 * Loaded into a node before anything else (`--import`): PUBLIC_HOST is a host with a public address, and whoever
 * connects to it reaches PUBLIC_HOST_PORT of this machine. What the node checks of the host it checks as elsewhere.
 */
import { promises } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Socket } from 'node:net'
import { syncBuiltinESMExports } from 'node:module'

const host = process.env['PUBLIC_HOST']!
const port = Number(process.env['PUBLIC_HOST_PORT'])

const { lookup } = promises
promises.lookup = (async (name: string, options: object) =>
  name === host ? [{ address: '8.8.8.8', family: 4 }] : lookup(name, options)) as typeof lookup
syncBuiltinESMExports()

type Options = { host?: string; port?: number; lookup?: LookupFunction }
const { connect } = Socket.prototype
Socket.prototype.connect = function toPublicHost(this: Socket, ...args: [Options, ...unknown[]]) {
  const [options, ...rest] = args
  if (options?.host !== host) return connect.apply(this, args as never)
  const here: LookupFunction = (name, how, done) =>
    options.lookup!(name, how, (error) => (error ? done(error, '') : done(null, [{ address: '127.0.0.1', family: 4 }])))
  return connect.apply(this, [{ ...options, port, lookup: here }, ...rest] as never)
} as never
