import type { ConnectionType, WireProfile } from '#kit'

/** The endpoint that the profile names for testing a key; undefined when it has no path. */
export const profileTest = ({ test, endpoints }: WireProfile): WireProfile['test'] =>
  test && endpoints?.[test.endpoint]?.path ? test : undefined

/**
 * Whether a credential can be tested for free: by the request of its connection type, or at the profile's test
 * endpoint.
 */
export const isTestable = (type: ConnectionType, wire: WireProfile): boolean =>
  type.test !== undefined || profileTest(wire) !== undefined
