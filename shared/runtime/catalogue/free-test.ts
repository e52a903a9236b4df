import type { ConnectionType, WireProfile } from '#kit'

/** The endpoint at which a profile lets a key be tested, where it can be asked. */
export const profileTest = ({ test, endpoints }: WireProfile): WireProfile['test'] =>
  test && endpoints?.[test.endpoint]?.path ? test : undefined

/**
 * Whether a credential can be tested for nothing: by the request of its type, or at the endpoint that the profile
 * names.
 */
export const isTestable = (type: ConnectionType, wire: WireProfile): boolean =>
  type.test !== undefined || profileTest(wire) !== undefined
