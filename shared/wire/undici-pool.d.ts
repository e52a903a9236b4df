// The package's root imports everything it has (fetch, caches, web sockets) and costs three times the start-up of the
// pool alone.
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'
  const pool: typeof Pool
  export default pool
}
