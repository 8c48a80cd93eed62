-- Credit is a pass that opens "credit": what it is worth, in cents of US dollars. A text that was bought with it is a row of the same order, with
-- what it cost as a negative amount, and when. What is left of the credit is their sum, less the share of the order that was refunded.
ALTER TABLE passes ADD COLUMN credit_minor INTEGER;
ALTER TABLE passes ADD COLUMN paid_at_ms INTEGER;
