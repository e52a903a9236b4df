import { Page } from '../../ui/page.tsx'

const Connection = () => <Page title="Connection">{null}</Page>

export default Connection
