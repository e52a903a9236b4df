import { Page } from '../../ui/page.tsx'

const Connections = () => <Page title="Connections">{null}</Page>

export default Connections
