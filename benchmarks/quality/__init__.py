"""What the streamed sound is worth: words heard right, predicted opinion, joins of windows."""
