export { bridgeToServer, endpointOf, serveOverStdio } from './stdio.ts'
export type { Channel, Offered } from './stdio.ts'
