/**
 * Preloaded into a served process with a channel to its parent: answers each message with the 99th percentile of how
 * late its event loop was since the message before, in ms.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
process.on('message', () => {
  process.send!(delay.percentile(99) / 1e6)
  delay.reset()
})
process.channel!.unref()
