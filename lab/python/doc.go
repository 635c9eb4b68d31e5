// Package python is how Python writes values and judges them: Ironic and its
// agent quote what they were given in their sentences.
package python
