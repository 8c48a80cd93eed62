import { defineConfig } from 'astro/config';
import { agentKnowledgeGateway } from 'agent-knowledge-gateway';

export default defineConfig({ integrations: [agentKnowledgeGateway()] });
